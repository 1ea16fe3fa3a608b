import io
s, b = io.StringIO("x"), io.BytesIO(b"x")
print(s.read(), b.read())
