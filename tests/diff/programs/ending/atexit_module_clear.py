import atexit

atexit.register(print, "cleared, never seen")
atexit._clear()
print(atexit._ncallbacks())
