import inspect
import sys


def documented(a, b: int = 2, *args, c, **kw) -> str:
    """Doc of
    it."""
    return a


class K:
    x = 1

    def m(self):
        # a comment
        return self


print(inspect.getsource(documented), inspect.getsource(K), inspect.getsource(K.m), inspect.getdoc(documented))
print(inspect.signature(documented), inspect.getfullargspec(documented), inspect.getsourcelines(K)[1], inspect.getcomments(K))
print(inspect.getmodule(K), inspect.getfile(K) == __file__, inspect.getsourcefile(documented) == __file__, inspect.getsource(sys.modules[__name__]).count("\n"))
inspect.getsource(len)
