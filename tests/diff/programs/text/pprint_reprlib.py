import pprint
import reprlib

d = {"key %d" % i: list(range(i * 3)) for i in range(6)}
pprint.pprint(d, width=50)
pprint.pprint({"b": 1, "a": {"z": (1, 2), "y": {3, 1, 2}}}, compact=True, depth=2)
print(pprint.pformat("long text " * 12, width=30), reprlib.repr(list(range(100))), pprint.isreadable(d))
x = [1]
x.append(x)
print(x, pprint.isrecursive(x))
