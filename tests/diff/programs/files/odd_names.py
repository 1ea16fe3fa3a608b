import os

for n in ("with space", "ünïcode", "-dash", "new\nline", "quote'\"", b"bytes\xff"):
    open(n, "w").close()
print(sorted(os.listdir(".")), sorted(os.listdir(b"."))[-1])
