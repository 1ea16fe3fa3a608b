class Loud:
    def __del__(self):
        print("released")


def f():
    x = Loud()
    raise ValueError


try:
    f()
except ValueError:
    print("handling")
print("after")
