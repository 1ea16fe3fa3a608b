import sys

n = sys.stdout.write("four")
sys.stdout.write("\n")
sys.stdout.writelines(["a\n", "b\n"])
n
