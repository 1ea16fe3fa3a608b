import sys

print("__annotations__" in globals())
x: int = 1
print(sorted(k for k in globals() if k.startswith("__")))
