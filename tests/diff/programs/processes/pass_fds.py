import os
import subprocess
import sys

r, w = os.pipe()
subprocess.run([sys.executable, "-I", "-S", "-c", f"import os; os.write({w}, b'via fd')"], pass_fds=(w,), check=True)
print(os.read(r, 10))
