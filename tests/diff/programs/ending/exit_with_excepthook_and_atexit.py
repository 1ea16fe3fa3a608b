import atexit
import sys

atexit.register(print, "atexit")
sys.exit("leaving with text")
