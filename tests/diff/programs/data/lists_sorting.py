x = [("b", 2), ("a", 2), ("c", 1)]
print(sorted(x, key=lambda t: (-t[1], t[0])), x[::-1], x[-2:], [*x][1:1], x.index(("a", 2)))
y = list(range(10))
del y[::2]
y[1:2] = ["i", "j"]
y.insert(0, "first")
print(y, [1, 2] * 2, [[0] * 2 for _ in range(2)], any(y), all([]), min("b", "a"), max([], default="none"), list(map(str, zip("ab", "cd"))))
y[50]
