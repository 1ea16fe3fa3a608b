import weakref
class A:
    pass
a, b = A(), A()
d = weakref.WeakValueDictionary(a=a)
r = weakref.ref(b, d.__delitem__)
