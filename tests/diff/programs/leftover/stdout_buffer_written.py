import sys
sys.stdout.buffer.write(b"bytes without a flush")
