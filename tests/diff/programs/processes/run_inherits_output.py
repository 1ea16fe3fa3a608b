import subprocess
import sys

print("before", flush=True)
subprocess.run([sys.executable, "-I", "-S", "-c", "import sys; print('child out'); print('child err', file=sys.stderr)"])
print("after")
