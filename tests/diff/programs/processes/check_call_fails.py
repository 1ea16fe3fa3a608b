import subprocess
import sys

subprocess.check_call([sys.executable, "-I", "-S", "-c", "raise SystemExit(4)"])
