import atexit


def bad():
    raise ValueError("in atexit")


atexit.register(print, "after the bad one")
atexit.register(bad)
print("main ends")
