import sys

print([n for n in sys.modules if "main" in n], "site" in sys.modules, "sitecustomize" in sys.modules, "usercustomize" in sys.modules)
