import sys

del sys.modules["__main__"]
print("gone", __name__)
"value"
