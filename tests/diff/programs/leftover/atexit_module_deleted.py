# needs: 3.10
import atexit, sys
atexit.register(print, "registered")
del sys.modules["atexit"], atexit
