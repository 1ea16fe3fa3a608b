import weakref
def f():
    pass
r = weakref.ref(f, lambda _: print("f is gone"))
