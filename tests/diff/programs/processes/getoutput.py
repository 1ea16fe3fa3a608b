import subprocess

print(subprocess.getoutput("echo hi; echo err >&2"))
print(subprocess.getstatusoutput("exit 3"))
print(subprocess.check_output(["echo", "x"], text=True))
