import compileall
import os
import py_compile

open("m.py", "w").write("x = 1\n")
print(os.path.basename(py_compile.compile("m.py")), compileall.compile_file("m.py", quiet=1))
open("bad.py", "w").write("x = = 1\n")
py_compile.compile("bad.py", doraise=True)
