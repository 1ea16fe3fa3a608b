class Base:
    def __del__(self):
        print("gone", type(self).__name__)
class A(Base):
    __slots__ = ("x",)
keep = [A() for _ in range(3)]
