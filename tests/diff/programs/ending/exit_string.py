import sys
print("out")
sys.exit("a message with ünïcode")
