import ctypes

CB = ctypes.CFUNCTYPE(None)
libc = ctypes.CDLL(None)
libc.write.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
print("main ends", flush=True)
ctypes.pythonapi.Py_AtExit(ctypes.cast(libc.getpid, ctypes.c_void_p))
