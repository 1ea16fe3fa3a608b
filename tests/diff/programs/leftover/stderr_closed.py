import sys
sys.stderr.close()
print("out")
