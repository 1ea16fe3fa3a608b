import sys

print("x") or sys.exit(8)
