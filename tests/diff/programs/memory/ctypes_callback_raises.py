import ctypes

CB = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


def bad(x):
    raise ValueError("in a callback")


import sys

sys.unraisablehook = lambda a: print("unraisable:", type(a.exc_value).__name__, a.exc_value)
cb = CB(bad)
cb(5)
print("goes on")
