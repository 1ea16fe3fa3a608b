import os
import signal
import subprocess

p = subprocess.Popen(["sleep", "30"], start_new_session=True)
os.killpg(p.pid, signal.SIGTERM)
print(p.wait())
