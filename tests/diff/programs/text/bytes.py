b = b"some bytes"
print(b.hex(" "), bytes.fromhex("00ff"), b[1:4], b.find(b"b"), bytes([1, 2]), bytearray(b"x") * 3, b % () if False else b)
print(b"%d %s" % (5, b"x"), b"abc".decode("utf-16-le", "replace"), "é".encode("latin-1"), int.from_bytes(b"\1\0", "big"))
bytes([256])
