import ctypes
import os

os.putenv("DIRECT", "1")
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
print("DIRECT" in os.environ, libc.getenv(b"DIRECT"), libc.getenv(b"HOME").decode() == os.environ["HOME"], libc.getenv(b"TMPDIR").decode() == os.environ["TMPDIR"])
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
names, i = [], 0
while environ[i]:
    names.append(environ[i].split(b"=")[0].decode())
    i += 1
print(sorted(names))
