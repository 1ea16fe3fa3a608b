import sys

open("colorsys.py", "w").write("shadow = True\n")
sys.path.insert(0, ".")
import colorsys

print(colorsys.shadow, colorsys.__file__)
