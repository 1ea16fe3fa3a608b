class Meta(type):
    def __getattribute__(cls, name):
        if name == "__del__":
            raise AttributeError(name)
        return super().__getattribute__(name)
class A(metaclass=Meta):
    def __del__(self):
        print("gone")
a = A()
