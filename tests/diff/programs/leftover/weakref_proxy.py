import weakref
class A:
    pass
a = A()
p = weakref.proxy(a, lambda _: print("a is gone"))
