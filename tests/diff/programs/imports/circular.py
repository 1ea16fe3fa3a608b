import sys

open("c1.py", "w").write("import c2\nx = 1\n")
open("c2.py", "w").write("from c1 import x\n")
sys.path.insert(0, ".")
import c1
