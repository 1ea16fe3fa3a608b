import weakref
class R(weakref.ref):
    def __del__(self):
        print("the reference is gone")
class A:
    pass
a = A()
r = R(a)
