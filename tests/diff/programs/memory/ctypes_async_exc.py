import ctypes
import threading

ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(threading.get_ident()), ctypes.py_object(ValueError))
for _ in range(10000):
    pass
print("not reached")
