import pickle
import pickletools


class P:
    def __init__(self, x):
        self.x = x

    def __reduce__(self):
        return (P, (self.x + 1,))


class Q:
    def __getstate__(self):
        return {"only": 1}

    def __setstate__(self, s):
        self.__dict__.update(s, restored=True)


def func():
    return "own function"


for proto in range(pickle.HIGHEST_PROTOCOL + 1):
    print(proto, pickle.loads(pickle.dumps(P(1), proto)).x, end=" ")
q = pickle.loads(pickle.dumps(Q()))
print(q.__dict__, pickle.loads(pickle.dumps(func))(), pickle.dumps([1, "a"]))
print(pickletools.optimize(pickle.dumps((1, 2))), pickle.loads(pickle.dumps(P)) is P)
pickletools.dis(pickle.dumps(func, 2))
pickle.dumps(lambda: 0)
