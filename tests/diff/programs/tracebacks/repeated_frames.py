def f(n):
    if n == 0:
        raise RuntimeError("bottom")
    f(n - 1)


f(20)
