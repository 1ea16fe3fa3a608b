import ssl

c = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
a, b = ssl.MemoryBIO(), ssl.MemoryBIO()
o = c.wrap_bio(a, b, server_hostname="example.org")
try:
    o.do_handshake()
except ssl.SSLWantReadError as e:
    print(type(e).__name__, b.pending > 100, b.read(1))
a.write(b"HTTP/1.1 400 Bad\r\n\r\n")
try:
    o.do_handshake()
except ssl.SSLError as e:
    print(e.reason)
