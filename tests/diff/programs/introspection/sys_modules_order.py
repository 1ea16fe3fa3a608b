import sys

print(list(sys.modules))
