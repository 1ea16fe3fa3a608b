import weakref


class A:
    pass


def callback(ref):
    raise LookupError("in a weakref callback")


a = A()
r = weakref.ref(a, callback)
del a
print("goes on", r())
