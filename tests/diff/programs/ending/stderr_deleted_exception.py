import sys

del sys.stderr
raise ValueError("lost")
