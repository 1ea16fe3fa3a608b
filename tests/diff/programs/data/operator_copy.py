import copy
import operator

print(operator.itemgetter(1, 0)("ab"), operator.attrgetter("real")(5), operator.methodcaller("upper")("x"), operator.matmul is operator.__matmul__)
x = [[1], {"a": (2,)}]
y, z = copy.copy(x), copy.deepcopy(x)
x[0].append(9)
print(y, z, y[0] is x[0])


class C:
    def __copy__(self):
        return "copied"

    def __deepcopy__(self, memo):
        return "deep"


print(copy.copy(C()), copy.deepcopy([C()]))
copy.deepcopy((i for i in "x"))
