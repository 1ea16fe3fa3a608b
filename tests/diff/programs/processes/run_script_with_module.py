import subprocess
import sys

open("child.py", "w").write("import sys\nprint(__name__, sys.argv[1:])\n1 / 0\n")
r = subprocess.run([sys.executable, "-I", "child.py", "a", "b"], capture_output=True, text=True)
print(r.returncode, r.stdout)
print(r.stderr)
