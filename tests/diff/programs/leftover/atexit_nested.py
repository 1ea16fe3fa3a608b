import atexit
def f():
    print("f")
    atexit.register(print, "registered at exit")
atexit.register(f)
