import modulefinder
import pyclbr

open("m.py", "w").write("import json\nclass A:\n    def f(self): pass\ndef g(): pass\n")
print(sorted(pyclbr.readmodule_ex("m", ["."])))
f = modulefinder.ModuleFinder(path=["."])
f.run_script("m.py")
print(sorted(f.modules), sorted(f.badmodules)[:1])
