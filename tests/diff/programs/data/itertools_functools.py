import functools
import itertools as it

print(list(it.chain("ab", [1])), list(it.islice(it.count(5, 2), 3)), list(it.permutations("abc", 2))[:3], list(it.groupby("aab"))[0][0])
print(list(it.accumulate([1, 2, 3])), list(it.zip_longest("ab", "c")), list(it.product("ab", repeat=2))[-1], list(it.compress("abc", [1, 0, 1])))
print(list(it.takewhile(lambda x: x < 3, it.count())), list(it.starmap(pow, [(2, 3)])), [list(t) for t in it.tee("xy")])


@functools.lru_cache(maxsize=4)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(20), fib.cache_info(), functools.reduce(lambda a, b: a * b, range(1, 6)), functools.partial(int, base=2)("101"))


@functools.singledispatch
def show(x):
    return "object"


@show.register
def _(x: int):
    return "int"


print(show(1), show("s"), sorted("bA", key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b))))


@functools.wraps(fib)
def w(): ...


@functools.total_ordering
class V:
    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        return self.v < o.v

    def __eq__(self, o):
        return self.v == o.v


print(w.__name__, V(1) >= V(0), functools.partial(print, 1))
