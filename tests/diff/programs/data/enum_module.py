import enum


class Color(enum.Enum):
    RED = 1
    GREEN = "g"
    CRIMSON = 1

    @property
    def nice(self):
        return self.name.title()


class Perm(enum.Flag):
    R = enum.auto()
    W = enum.auto()
    RW = R | W


class N(enum.IntEnum):
    A = 5


print(list(Color), Color.CRIMSON, Color("g"), Color["RED"].nice, Perm.RW, Perm.R in Perm.RW, ~Perm.R, N.A + 1, f"{N.A}", repr(N.A))
print(Color.__members__, isinstance(Color.RED, Color), enum.unique)
Color("blue")
