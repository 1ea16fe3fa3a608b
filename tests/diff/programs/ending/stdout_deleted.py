import sys

print("before")
del sys.stdout
print("after")
