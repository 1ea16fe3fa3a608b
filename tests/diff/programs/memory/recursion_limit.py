import sys

print(sys.getrecursionlimit())
sys.setrecursionlimit(100)


def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n


d = depth(0)
print(d)
