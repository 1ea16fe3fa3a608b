import sys

print("text first")
raw = sys.stdout.detach()
raw.write(b"bytes\n")
raw.flush()
