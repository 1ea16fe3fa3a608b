import atexit
import os

atexit.register(os._exit, 5)
print("seen only when flushed", end="")
