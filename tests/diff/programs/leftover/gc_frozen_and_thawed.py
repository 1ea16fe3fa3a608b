import gc
class A:
    def __del__(self):
        print('gone')
a = A()
gc.freeze()
gc.unfreeze()
