import sys
import types


class Mod(types.ModuleType):
    def __del__(self):
        print("module finalised")


sys.modules["fake"] = Mod("fake")
print("end")
