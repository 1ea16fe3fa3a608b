import atexit
import sys

atexit.register(lambda: print(getattr(sys, "last_exc", "none of that name"), sys.last_value))
raise ValueError("kept")
