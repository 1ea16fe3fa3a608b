import sys

open("json.py", "w").write("shadow = True\n")
sys.path.insert(0, ".")
import json

print(hasattr(json, "shadow"), hasattr(json, "dumps"))
