import ctypes

libc = ctypes.CDLL(None, use_errno=True)
print(libc.prctl(15, b"renamed", 0, 0, 0), open("/proc/self/comm").read().strip())
