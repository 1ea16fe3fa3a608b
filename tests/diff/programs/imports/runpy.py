import runpy

open("r.py", "w").write("x = __name__\nprint('ran', x)\n")
print(runpy.run_path("r.py")["x"], runpy.run_path("r.py", run_name="__main__")["x"])
runpy.run_module("this_is_missing")
