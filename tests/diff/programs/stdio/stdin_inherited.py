# stdin: "for the child\n"
import subprocess
import sys

r = subprocess.run(["cat"], stdout=subprocess.PIPE)
print(r.stdout)
