import sys

m = sys.modules["__main__"]
print(m, type(m).__name__, m.__dict__ is globals(), globals() is locals(), vars() is globals(), dir() == sorted(globals()))
import __main__

print(__main__ is m, __main__.m is m)
list(globals())[:4]
