import sys

f = open("/dev/full", "w")
sys.stdout = f
print("does not fit")
