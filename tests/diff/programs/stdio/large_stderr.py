import sys

for i in range(3000):
    print("error line", i, file=sys.stderr)
print("done")
