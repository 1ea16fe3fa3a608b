import ctypes

print("a real one", flush=True)
ctypes.string_at(0)
