class Meta(type):
    def __new__(mcls, name, bases, ns):
        if name != "Base":
            raise TypeError(f"no class {name}")
        return super().__new__(mcls, name, bases, ns)


class Base(metaclass=Meta):
    pass


class Derived(Base):
    pass
