class N(int):
    __slots__ = ()
    def __del__(self):
        print("gone", int(self))
n = N(5)
