import ctypes

print("pending in Python's buffer", end="")
ctypes.pythonapi.Py_Exit(34)
