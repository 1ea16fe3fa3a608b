import sys

with open(__file__, "a") as f:
    f.write("# changed while it runs\n")
1 / 0
