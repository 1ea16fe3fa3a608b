import sys

sys.exit("y" * 200000)
