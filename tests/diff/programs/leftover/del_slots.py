class A:
    __slots__ = ()
    def __del__(self):
        print("gone")
a = A()
