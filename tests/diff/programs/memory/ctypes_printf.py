import ctypes
import sys

libc = ctypes.CDLL(None)
print("Python first", flush=True)
libc.printf(b"C's own buffer, flushed at the end %d\n", 5)
libc.puts(b"no fflush")
0
