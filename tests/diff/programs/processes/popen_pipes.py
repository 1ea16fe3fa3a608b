import subprocess

p = subprocess.Popen(["tr", "a-z", "A-Z"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(p.communicate("some words\n"), p.returncode, p.poll())
p = subprocess.Popen("echo to shell; exit 5", shell=True, stdout=subprocess.PIPE)
print(p.stdout.read(), p.wait())
