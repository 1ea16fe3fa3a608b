import sys

sys.stdout.write("text 1\n")
sys.stdout.flush()
sys.stdout.buffer.write(b"bytes 2\n")
sys.stdout.buffer.flush()
print("text 3")
