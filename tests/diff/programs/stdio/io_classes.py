import io

b = io.BytesIO(b"line1\nline2\n")
t = io.TextIOWrapper(b, encoding="utf-8", newline="")
print(t.readline(), t.tell(), t.read())
r = io.BufferedReader(io.BytesIO(b"abcdef"), 2)
print(r.peek(1)[:1], r.read(3), r.read())
rw = io.BufferedRandom(io.BytesIO(b"12345"))
rw.seek(2)
rw.write(b"X")
rw.seek(0)
print(rw.read(), io.DEFAULT_BUFFER_SIZE)
print(io.IncrementalNewlineDecoder(None, True).decode("a\r\nb\rc"))
