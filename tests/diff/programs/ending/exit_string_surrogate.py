import sys
sys.exit("lone \udc80 surrogate")
