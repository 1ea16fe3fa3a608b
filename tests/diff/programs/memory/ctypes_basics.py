import ctypes

libc = ctypes.CDLL(None)
libc.strlen.argtypes = [ctypes.c_char_p]
print(libc.strlen(b"hello"), libc.abs(-5))


class P(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_double)]


p = P(1, 2.5)
print(p.x, p.y, ctypes.sizeof(P), ctypes.cast(ctypes.pointer(p), ctypes.POINTER(ctypes.c_int))[0])
buf = ctypes.create_string_buffer(b"abc", 10)
print(buf.value, len(buf), ctypes.c_uint8(300).value)
libc.strlen(5)
