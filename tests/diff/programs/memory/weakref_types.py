import weakref


class A:
    pass


a = A()
d = weakref.WeakValueDictionary(x=a)
s = weakref.WeakSet([a])
k = weakref.WeakKeyDictionary({a: 1})
p = weakref.proxy(a)
p.attr = 5
print(len(d), len(s), len(k), a.attr, weakref.getweakrefcount(a) > 0)
del a
print(len(d), len(s), len(k))
p.attr
