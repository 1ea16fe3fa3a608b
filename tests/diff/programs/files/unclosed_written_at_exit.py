f = open("left.txt", "w")
f.write("flushed by the finaliser")
import atexit

atexit.register(lambda: print(repr(open("left.txt").read())))
