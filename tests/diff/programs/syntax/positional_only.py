def f(a, b=2, /, c=3, *, d=4):
    return a, b, c, d


print(f(1), f(1, 5, c=6, d=7))
f(a=1)
