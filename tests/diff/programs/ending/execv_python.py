import os
import sys

print("before exec", flush=True)
os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import sys; print('new', sys.argv); sys.exit(6)"])
