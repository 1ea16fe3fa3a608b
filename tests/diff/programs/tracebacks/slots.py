class S:
    __slots__ = ("a",)


s = S()
s.a = 1
s.b = 2
