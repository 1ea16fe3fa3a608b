a, (b, *c), d = 1, (2, 3, 4), 5
print(a, b, c, d)
print([*range(2), *"ab"], {**{"x": 1}, "y": 2})
x, y = 1, 2, 3
