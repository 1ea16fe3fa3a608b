import operator
from functools import reduce

print(reduce(operator.xor, range(100)), bin(0xF0 >> 2), 1 << 70, -1 >> 3, operator.index(True), [i for i in range(20) if i & -i == i])
sum(range(1000000))
