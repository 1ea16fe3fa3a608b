import os

with open("s", "wb") as f:
    f.seek(1 << 20)
    f.write(b"end")
print(os.path.getsize("s"), open("s", "rb").read(3))
with open("s", "r+b") as f:
    print(f.seek(-3, 2), f.read(), f.truncate(10), f.seekable())
