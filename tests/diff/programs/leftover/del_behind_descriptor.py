class Del:
    def __get__(self, instance, owner):
        if instance is None:
            raise AttributeError('__del__')
        return lambda: print('gone')
class A:
    __del__ = Del()
a = A()
