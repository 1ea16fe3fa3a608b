import ctypes

libc = ctypes.CDLL(None)
CMP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
arr = (ctypes.c_int * 6)(5, 3, 9, 1, 7, 2)
libc.qsort(arr, 6, ctypes.sizeof(ctypes.c_int), CMP(lambda a, b: a[0] - b[0]))
print(list(arr))
