import atexit
for n in range(3):
    atexit.register(print, n)
print("main")
