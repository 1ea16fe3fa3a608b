def f(n):
    g(n)


def g(n):
    f(n + 1)


f(0)
