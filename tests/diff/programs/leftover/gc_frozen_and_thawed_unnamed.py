import gc


class Last:
    def __del__(self):
        print('last')


last = Last()
getattr(gc, 'fre' + 'eze')()
getattr(gc, 'unfre' + 'eze')()
