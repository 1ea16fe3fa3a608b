import sys

print(sys.stdout.write("y" * 300000))
sys.stderr.write("z" * 100000 + "\n")
0
