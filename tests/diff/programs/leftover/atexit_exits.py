import atexit, sys
atexit.register(print, "other")
atexit.register(sys.exit, 5)
