import sys
b = sys.stdout.detach()
b.write(b"bytes\n")
b.flush()
