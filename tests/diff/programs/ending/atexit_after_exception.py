import atexit

atexit.register(print, "atexit after the traceback")
1 / 0
