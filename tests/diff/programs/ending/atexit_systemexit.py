import atexit
import sys

atexit.register(print, "second")
atexit.register(sys.exit, 77)
print("main ends")
