import os
import sys

saved = os.dup(1)
fd = os.open("out.txt", os.O_CREAT | os.O_RDWR)
sys.stdout.flush()
os.dup2(fd, 1)
print("in the file")
sys.stdout.flush()
os.dup2(saved, 1)
print("back:", open("out.txt").read())
