# stdin: "first\nsecond\nthird\n"
import os
import sys

print(repr(sys.stdin.readline()))
print(os.read(0, 100))
