import sys

sys.stdout = open("log.txt", "w")
print("into the file")
import atexit

atexit.register(lambda: (sys.stdout.flush(), sys.__stdout__.write(open("log.txt").read())))
