import atexit


def f(x):
    print("f", x)


atexit.register(f, 1)
atexit.register(print, "kept")
atexit.register(f, 2)
atexit.unregister(f)
