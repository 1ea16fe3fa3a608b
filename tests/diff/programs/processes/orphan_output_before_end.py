import subprocess

p = subprocess.Popen(["sh", "-c", "echo quick"])
p.wait()
print("last")
