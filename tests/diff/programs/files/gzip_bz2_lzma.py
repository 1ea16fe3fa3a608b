import bz2
import gzip
import lzma
import zlib

data = b"compress me " * 100
for m in (gzip, bz2, lzma, zlib):
    c = m.compress(data)
    print(m.__name__, len(c) < len(data), m.decompress(c) == data)
with gzip.open("f.gz", "wt") as f:
    f.write("text")
print(gzip.open("f.gz").read(), zlib.crc32(b"x"), zlib.adler32(b"x"))
d = lzma.LZMADecompressor()
zlib.decompress(b"garbage")
