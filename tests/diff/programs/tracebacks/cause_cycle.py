a, b = ValueError("a"), TypeError("b")
a.__cause__ = b
b.__cause__ = a
raise a
