import ctypes

api = ctypes.pythonapi
for f in (api.PyThreadState_Get, api.PyGILState_GetThisThreadState, api.PyInterpreterState_Main, api.PyInterpreterState_Head):
    f.restype = ctypes.c_void_p
print(api.PyThreadState_Get() == api.PyGILState_GetThisThreadState(), api.PyInterpreterState_Main() == api.PyInterpreterState_Head())
api.PyInterpreterState_ThreadHead.restype = api.PyThreadState_Next.restype = ctypes.c_void_p
api.PyInterpreterState_ThreadHead.argtypes = api.PyThreadState_Next.argtypes = [ctypes.c_void_p]
n, s = 0, api.PyInterpreterState_ThreadHead(api.PyInterpreterState_Main())
while s:
    n, s = n + 1, api.PyThreadState_Next(s)
print(n)
