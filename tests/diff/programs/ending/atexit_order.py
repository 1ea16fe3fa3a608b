import atexit

for i in range(4):
    atexit.register(print, "atexit", i)


@atexit.register
def last():
    print("registered last, runs first")


print("main ends")
