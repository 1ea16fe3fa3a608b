import ctypes

api = ctypes.pythonapi
api.Py_GetVersion.restype = ctypes.c_char_p
print(api.Py_GetVersion().decode().split()[0] == __import__("sys").version.split()[0], api.Py_IsInitialized())
api.PyLong_FromLong.restype = ctypes.py_object
print(api.PyLong_FromLong(41) + 1)
CB = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
print(CB(lambda x: x + [4])([1]))
api.PyRun_SimpleString(b"made_by_c = 5")
print(made_by_c)
