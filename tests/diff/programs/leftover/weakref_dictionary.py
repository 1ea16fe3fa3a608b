import weakref
class A:
    pass
a = A()
d = weakref.WeakValueDictionary(a=a)
k = weakref.WeakKeyDictionary({a: 1})
s = weakref.WeakSet([a])
print(len(d), len(k), len(s))
