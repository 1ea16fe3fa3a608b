import weakref
class A:
    pass
a = A()
def callback(_):
    print("a is gone")
r = weakref.ref(a, callback)
