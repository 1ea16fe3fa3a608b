import sys


class A:
    def __del__(self):
        sys.exit(5)

    def __repr__(self):
        return "A()"


A.__del__.__repr__ = lambda s: "x"
sys.unraisablehook = lambda a: print(type(a.exc_value).__name__, file=sys.__stderr__)
a = A()
del a
print("goes on")
