import atexit
import ctypes
import sys

libc = ctypes.CDLL(None)
text = ctypes.c_char_p(b"from a C exit handler")
libc.__cxa_atexit(ctypes.cast(libc.puts, ctypes.c_void_p), text, None)
atexit.register(print, "from a Python exit handler")
print("main")
sys.stdout.flush()
