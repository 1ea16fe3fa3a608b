from abc import ABC, abstractmethod, abstractproperty


class Shape(ABC):
    @property
    @abstractmethod
    def area(self): ...

    @classmethod
    def __subclasshook__(cls, c):
        return NotImplemented


class Sq(Shape):
    area = 4


@Shape.register
class Other:
    pass


print(Sq().area, isinstance(Other(), Shape), Shape.__abstractmethods__)
Shape()
