import subprocess
import sys

open("mod.py", "w").write("print(__name__, __package__, __spec__.name)\n")
print(subprocess.run([sys.executable, "-S", "-m", "mod"], capture_output=True, text=True, env={}).stdout)
print(subprocess.run([sys.executable, "-I", "-S", "-"], input="print('from stdin', __name__)", capture_output=True, text=True).stdout)
