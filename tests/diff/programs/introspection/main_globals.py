print(sorted(globals()))
print(__name__, __doc__, __package__, __spec__, __import__("os").path.basename(__file__))
print(type(__loader__).__name__, type(__builtins__).__name__, __builtins__.__name__, __cached__ if "__cached__" in globals() else "")
