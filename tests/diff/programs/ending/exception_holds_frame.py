import sys


class Loud:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        print("goes", self.n)


def f():
    local = Loud("local of the failing frame")
    1 / 0


g = Loud("global")
f()
