import sys

sys.stdout.write("partial line")
sys.exit("and an error")
