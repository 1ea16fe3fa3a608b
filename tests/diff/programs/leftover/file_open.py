f = open("out.txt", "w")
f.write("kept in the buffer")
import atexit
atexit.register(lambda: print(repr(open("out.txt").read())))
