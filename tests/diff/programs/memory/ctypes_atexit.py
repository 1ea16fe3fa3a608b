import ctypes

CB = ctypes.CFUNCTYPE(None)
keep = CB(lambda: None)
print(ctypes.CDLL(None).atexit(ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p)))
