import sys

sys.stderr.write("escaped: \udcff \ud800\n")
