asked = []
class Meta(type):
    def __getattr__(cls, name):
        asked.append(name)
        raise AttributeError(name)
class A(metaclass=Meta):
    pass
import atexit
atexit.register(lambda: print([n for n in asked if n == "__del__"]))
a = A()
