import atexit


def outer():
    print("outer")
    atexit.register(print, "registered during exit")


atexit.register(outer)
