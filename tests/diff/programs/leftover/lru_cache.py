import functools
class A:
    def __del__(self):
        print("gone")
@functools.lru_cache
def f():
    return A()
f()
