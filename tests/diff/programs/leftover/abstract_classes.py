import abc, collections.abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class B(A):
    def f(self): return 1
print(isinstance(B(), A), isinstance([], A), isinstance(B(), collections.abc.Sized))
