import sys

open("mod.py", "w").write("print('imported', __name__)\nvalue = 5\n")
sys.path.insert(0, ".")
import mod

print(mod.value, mod.__file__, mod.__spec__.name, sys.modules["mod"] is mod)
import importlib

importlib.reload(mod)
print(sorted(__import__("os").listdir(".")))
