import sys

sys.setrecursionlimit(8000)


def f(n):
    return n and f(n - 1) + 1


print(f(7000))
