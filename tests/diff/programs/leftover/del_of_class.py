class Meta(type):
    def __del__(cls):
        print("class gone", cls.__name__)
class A(metaclass=Meta):
    pass
