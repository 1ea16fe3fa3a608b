import functools


class P:
    def __init__(self):
        self._v = 1

    @property
    def v(self):
        "doc of v"
        return self._v

    @v.setter
    def v(self, x):
        self._v = x * 2

    @v.deleter
    def v(self):
        print("deleted")

    @functools.cached_property
    def c(self):
        print("computed")
        return 7


p = P()
p.v = 5
del p.v
print(p.v, P.v.__doc__, p.c, p.c)
type("R", (), {"r": property(lambda s: 1)})().r = 5
