import subprocess

a = subprocess.Popen(["printf", "b\\na\\nc\\n"], stdout=subprocess.PIPE)
b = subprocess.Popen(["sort"], stdin=a.stdout, stdout=subprocess.PIPE)
a.stdout.close()
print(b.communicate()[0], a.wait(), b.wait())
