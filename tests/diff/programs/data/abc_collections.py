import collections.abc as cabc


class S(cabc.Sequence):
    def __init__(self, d):
        self.d = d

    def __getitem__(self, i):
        return self.d[i]

    def __len__(self):
        return len(self.d)


s = S("abca")
print("b" in s, s.count("a"), s.index("c"), list(reversed(s)), isinstance(s, cabc.Iterable), isinstance({}, cabc.MutableMapping))
print(issubclass(int, cabc.Hashable), isinstance(print, cabc.Callable), [n for n in cabc.__all__ if n.startswith("Async")])
cabc.Mapping()
