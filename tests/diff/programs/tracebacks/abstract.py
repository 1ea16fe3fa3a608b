import abc


class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...


A()
