import sys, types
class A:
    def __del__(self):
        print("gone")
a = A()
sys.modules["__main__"] = types.ModuleType("__main__")
