import sys, types
class M(types.ModuleType):
    def __del__(self):
        print("module gone", self.__name__)
sys.modules["made"] = M("made")
