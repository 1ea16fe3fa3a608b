class C:
    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, *a):
        print("exit", a[0] and a[0].__name__)


with C():
    raise SystemExit(7)
