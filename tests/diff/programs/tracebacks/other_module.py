E_SOURCE = "class E(Exception):\n    pass\n\n\ndef f():\n    raise E('from a module')\n"
open("helper.py", "w").write(E_SOURCE)
import sys

sys.path.append(".")
import helper

helper.f()
