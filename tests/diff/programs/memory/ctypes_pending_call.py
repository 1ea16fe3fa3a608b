import ctypes

calls = []
PENDING = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


def pending(arg):
    calls.append(arg)
    return 0


cb = PENDING(pending)
ctypes.pythonapi.Py_AddPendingCall(cb, ctypes.c_void_p(7))
for _ in range(10000):
    pass
print(calls)
