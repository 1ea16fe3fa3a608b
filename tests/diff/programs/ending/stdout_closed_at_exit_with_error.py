import sys

sys.stdout.close()
raise ValueError("still on stderr")
