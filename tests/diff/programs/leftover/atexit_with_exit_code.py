import atexit, sys
atexit.register(print, "registered")
sys.exit(7)
