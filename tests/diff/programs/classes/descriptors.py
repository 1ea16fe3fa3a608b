class Typed:
    def __set_name__(self, owner, name):
        self.name = "_" + name
        print("set_name", owner.__name__, name)

    def __get__(self, o, t=None):
        return self if o is None else getattr(o, self.name, "unset")

    def __set__(self, o, v):
        if not isinstance(v, int):
            raise TypeError(f"{self.name} wants an int")
        setattr(o, self.name, v)


class P:
    x = Typed()

    @classmethod
    def c(cls):
        return cls.__name__

    @staticmethod
    def s():
        return "static"


p = P()
print(p.x)
p.x = 5
print(p.x, P.c(), p.s(), P.__dict__["c"].__class__.__name__)
p.x = "no"
