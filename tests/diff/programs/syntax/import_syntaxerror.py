import sys

open("broken.py", "w").write("x = 1\ndef f(:\n    pass\n")
sys.path.insert(0, "")
import broken
