class V:
    def __init__(self, *v):
        self.v = v

    def __repr__(self):
        return f"V{self.v}"

    def __add__(self, o):
        return V(*(a + b for a, b in zip(self.v, o.v)))

    def __getitem__(self, i):
        return self.v[i]

    def __len__(self):
        return len(self.v)

    def __contains__(self, x):
        return x in self.v

    def __call__(self, *a, **k):
        return a, k

    def __bool__(self):
        return False

    def __getattr__(self, n):
        return f"attr {n}"

    def __format__(self, spec):
        return f"<{spec}>"

    def __eq__(self, o):
        return self.v == o.v


a = V(1, 2)
print(a + V(3, 4), a[0], len(a), 2 in a, a(1, k=2), bool(a), a.foo, f"{a:spec}", a == V(1, 2), list(a), a != V(0))
hash(a)
