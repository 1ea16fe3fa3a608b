import atexit
import sys

atexit.register(lambda: print(hasattr(sys, "last_exc"), hasattr(sys, "last_value")))
sys.exit(2)
