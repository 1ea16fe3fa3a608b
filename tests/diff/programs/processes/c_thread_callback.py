import ctypes
import threading

libc = ctypes.CDLL(None)
ROUTINE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
names = []


def routine(arg):
    names.append(threading.current_thread().name[:6])
    return None


r = ROUTINE(routine)
t = ctypes.c_ulong()
create = getattr(libc, "pthread_create", None) or ctypes.CDLL("libpthread.so.0").pthread_create
join = getattr(libc, "pthread_join", None) or ctypes.CDLL("libpthread.so.0").pthread_join
print(create(ctypes.byref(t), None, r, None), join(t, None), names)
print(ctypes.pythonapi.PyGILState_Check())
