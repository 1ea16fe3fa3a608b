import subprocess
import sys

r = subprocess.run([sys.executable, "-I", "-S", "-c", "import os; os.kill(os.getpid(), 9)"])
print(r)
r.check_returncode()
