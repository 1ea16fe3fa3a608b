import os

with os.fdopen(1, "w", closefd=False) as f:
    f.write("through another object\n")
with open(1, "wb", closefd=False) as f:
    f.write(b"and bytes\n")
