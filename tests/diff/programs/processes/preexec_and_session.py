import os
import subprocess

r = subprocess.run(["sh", "-c", "pwd"], cwd="/", capture_output=True, text=True, start_new_session=True)
print(r.stdout)
r = subprocess.run(["sh", "-c", "umask"], preexec_fn=lambda: os.umask(0o77), capture_output=True, text=True)
print(r.stdout)
