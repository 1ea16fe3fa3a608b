import gc
class A:
    pass
a = A()
a.a = a
gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
