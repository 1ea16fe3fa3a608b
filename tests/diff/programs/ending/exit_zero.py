import sys
print("zero")
sys.exit(0)
