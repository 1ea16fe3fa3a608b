import importlib.util
import sys

open("f.py", "w").write("def hi():\n    return __name__\n")
spec = importlib.util.spec_from_file_location("renamed", "f.py")
m = importlib.util.module_from_spec(spec)
spec.loader.exec_module(m)
print(m.hi(), spec.name, importlib.util.find_spec("json").name, importlib.util.find_spec("nope"))
print(importlib.util.cache_from_source("x.py"), importlib.util.resolve_name(".b", "a"))
importlib.import_module("nope.nope")
