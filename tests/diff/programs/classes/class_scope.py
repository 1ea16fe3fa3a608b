x = "global"


class C:
    x = "class"
    y = x
    z = [x for _ in range(1)]

    def f(self):
        return x

    __private = 1


print(C.y, C.z, C().f(), [n for n in vars(C) if "private" in n], C.__dict__.keys() >= {"x", "y"})
C.__private
