import importlib.abc
import importlib.machinery
import sys


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name == "virtual":
            return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return None

    def exec_module(self, m):
        m.answer = 42


sys.meta_path.insert(0, Finder())
import virtual

print(virtual.answer, virtual.__spec__.origin, importlib.machinery.all_suffixes()[-1] == ".pyc")
