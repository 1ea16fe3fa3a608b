class A:
    def __del__(self):
        print("gone", self.name)
a, b = A(), A()
a.name, b.name = "a", "b"
a.other, b.other = b, a
del a, b
