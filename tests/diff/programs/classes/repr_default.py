class A:
    pass


class Outer:
    class Inner:
        def m(self): ...


print(A, Outer.Inner, Outer.Inner.m.__qualname__, A.__name__, type(A()).__name__, A.__doc__)
print(A(), Outer.Inner.m, A().__init__, A.__repr__)
Outer.Inner()
