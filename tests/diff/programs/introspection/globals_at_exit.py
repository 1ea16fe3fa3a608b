import atexit

x = 1
atexit.register(lambda: print(sorted(globals())))
[x]
