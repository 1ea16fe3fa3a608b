class Plugin:
    names = []

    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.names.append((cls.__name__, tag))

    def __class_getitem__(cls, item):
        return f"{cls.__name__}[{item!r}]"


class A(Plugin, tag="a"):
    pass


print(Plugin.names, A[5])


class B(Plugin, nope=1):
    pass
