import functools


class Loud:
    def __del__(self):
        print("cached object goes")


@functools.lru_cache
def make():
    return Loud()


make()
print("end")
