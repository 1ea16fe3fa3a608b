open("leaver.py", "w").write("import sys\nprint('in module')\nsys.exit(14)\n")
import sys

sys.path.insert(0, ".")
import leaver
