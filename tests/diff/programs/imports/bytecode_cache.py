import os
import sys

open("cached.py", "w").write("x = 1\n")
sys.path.insert(0, "")
import cached

print(sorted(os.listdir("__pycache__")), cached.__cached__ == os.path.join(os.getcwd(), "__pycache__", os.listdir("__pycache__")[0]))
