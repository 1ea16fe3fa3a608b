import sys

sys.stdin.write("x")
