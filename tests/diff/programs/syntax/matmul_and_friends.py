class M:
    def __matmul__(self, o):
        return "matmul"

    def __rlshift__(self, o):
        return "rlshift"


print(M() @ 1, 1 << M())
