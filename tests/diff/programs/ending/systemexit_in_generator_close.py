import sys


def g():
    try:
        yield
    finally:
        sys.exit(6)


x = g()
next(x)
del x
print("goes on")
