import warnings

warnings.simplefilter("always")
f = open("main.py")
del f
print("after")
open("main.py").readline()
