import sys

open("held.py", "w").write("class L:\n    def __del__(self):\n        print('in a module')\nx = L()\n")
sys.path.insert(0, ".")
import held

print("end")
