import sys
import types


class Loud(types.ModuleType):
    def __del__(self):
        print("the new main goes")


keep = sys.modules["__main__"]
sys.modules["__main__"] = types.ModuleType("__main__")
print(__name__, sys.modules["__main__"] is keep)
keep.__name__
