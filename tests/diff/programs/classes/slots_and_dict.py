class S:
    __slots__ = ("a", "__weakref__")


class T(S):
    pass


s, t = S(), T()
t.z = 1
print(hasattr(s, "__dict__"), t.__dict__, S.a, [x for x in S.__dict__ if not x.startswith("__")])
s.b = 1
