m = memoryview(bytearray(b"abcdef"))
m[1:3] = b"XY"
print(m.tobytes(), m[::2].tolist(), m.format, m.cast("H").shape, m.readonly)
m.release()
m[0]
