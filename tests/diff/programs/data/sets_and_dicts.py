s = {3, 1, 2}
print(sorted(s | {9}), s & {1}, s ^ {1, 2, 3}, frozenset([1]) <= s, sorted(s - {1}))
d = {"b": 1, "a": 2}
print(d, list(d.items()), d.setdefault("c", []), d.pop("zz", None), sorted(d), d.keys() & {"a"}, {**d, "b": 0})
for k in d:
    d[k + "x"] = 1
