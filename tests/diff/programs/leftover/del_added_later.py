class A:
    pass
a = A()
A.__del__ = lambda self: print("added later")
