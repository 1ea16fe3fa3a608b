import ctypes

print("flushed", flush=True)
ctypes.pythonapi._Py_FatalErrorFunc(b"where", b"a fatal error by hand") if hasattr(ctypes.pythonapi, "_Py_FatalErrorFunc") else ctypes.pythonapi.Py_FatalError(b"x")
