import atexit
def bad():
    raise ValueError("at exit")
atexit.register(print, "last")
atexit.register(bad)
atexit.register(print, "first")
