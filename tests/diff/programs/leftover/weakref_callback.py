import weakref
class A:
    pass
a = A()
r = weakref.ref(a, lambda _: print("a is gone"))
