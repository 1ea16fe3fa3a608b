import ctypes

print("flushed", flush=True)
libc = ctypes.CDLL(None)
libc.printf(b"C output\n")
libc.exit(33)
