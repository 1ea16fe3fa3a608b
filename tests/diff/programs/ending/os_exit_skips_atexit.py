import atexit
import os

atexit.register(print, "never")
os._exit(3)
