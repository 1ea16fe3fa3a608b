import weakref
class A:
    pass
a = A()
r = weakref.ref(a, lambda r: None)
s = weakref.ref(a, {}.clear)
t = weakref.ref(a, [].append)
u = weakref.ref(a, 'x'.join)
