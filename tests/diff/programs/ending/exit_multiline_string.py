import sys

sys.exit("line one\nline two\n")
