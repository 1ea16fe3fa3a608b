import subprocess, sys
p = subprocess.Popen(["sleep", "0.1"])
