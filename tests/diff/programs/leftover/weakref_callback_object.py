import weakref
class Callback:
    __module__ = 'weakref'
    __name__ = 'remove'
    def __call__(self, reference):
        print('called')
class A:
    pass
a = A()
r = weakref.ref(a, Callback())
