import mmap

m = mmap.mmap(-1, 4096)
m[:5] = b"hello"
print(m.find(b"l"), m.read(5), m.size(), len(m))
m.close()
open("f", "wb").write(b"x" * 8192)
with open("f", "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
    m[0:3] = b"abc"
    m.flush()
print(open("f", "rb").read(4))
m[0]
