# stdin: "n\np x\nw\nl\nq\n"
import pdb

x = 5
pdb.Pdb(skip=["bdb"]).set_trace()
y = x + 1
z = y + 1
