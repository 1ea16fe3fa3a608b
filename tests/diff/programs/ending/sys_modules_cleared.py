import sys

sys.modules.clear()
print("no modules any more")
[1]
