import importlib
collector = importlib.import_module('g' + 'c')
class A:
    def __del__(self):
        print('gone')
a = A()
getattr(collector, 'fre' + 'eze')()
getattr(collector, 'unfre' + 'eze')()
