class Meta(type):
    registry = []

    def __prepare__(name, bases, **kw):
        print("prepare", name, kw)
        return {}

    def __new__(m, name, bases, ns, **kw):
        c = super().__new__(m, name, bases, ns)
        m.registry.append(name)
        return c

    def __init__(c, name, bases, ns, **kw):
        super().__init__(name, bases, ns)

    def __call__(c, *a):
        print("call", c.__name__)
        return super().__call__(*a)


class A(metaclass=Meta, opt=1):
    pass


A()
print(Meta.registry, type(A).__name__, A.__qualname__, A.__module__)
