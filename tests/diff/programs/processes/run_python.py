import subprocess
import sys

r = subprocess.run([sys.executable, "-I", "-S", "-c", "import sys; print('child'); sys.exit(3)"], capture_output=True, text=True)
print(r.returncode, r.stdout, r.stderr)
