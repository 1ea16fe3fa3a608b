class C:
    def __enter__(self):
        return self

    def __exit__(self, *a):
        print("exit", a[0].__name__)
        raise RuntimeError("in __exit__")


with C():
    raise ValueError("body")
