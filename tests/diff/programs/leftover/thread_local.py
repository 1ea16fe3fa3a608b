import threading
class A:
    def __del__(self):
        print("gone")
local = threading.local()
local.a = A()
