import os, sys
print("before", file=sys.stderr)
os.close(1)
sys.stdout.write("lost")
