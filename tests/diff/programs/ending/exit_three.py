import sys
print("three", file=sys.stderr)
sys.exit(3)
