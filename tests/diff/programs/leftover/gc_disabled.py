import gc
gc.disable()
class A:
    def __del__(self):
        print("gone")
a = A()
a.a = a
del a
