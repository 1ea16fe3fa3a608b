from functools import partialmethod, singledispatchmethod


class S:
    @singledispatchmethod
    def show(self, x):
        return "other"

    @show.register
    def _(self, x: int):
        return "int"

    def base(self, a, b):
        return a, b

    five = partialmethod(base, 5)


print(S().show(1), S().show(""), S().five(6))
