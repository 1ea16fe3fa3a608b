class N:
    def __radd__(self, o):
        return ("radd", o)

    def __iadd__(self, o):
        return ("iadd", o)

    def __neg__(self):
        return "neg"

    def __lt__(self, o):
        return NotImplemented

    def __index__(self):
        return 2


n = N()
print(5 + n, -n, [1, 2, 3][n], "ab" * n, range(5)[n])
m = n
m += 1
print(m)
n < 5
