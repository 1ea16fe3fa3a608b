import socket

s = socket.socket()
s.bind(("127.0.0.1", 0))
port = s.getsockname()[1]
s.close()
try:
    socket.create_connection(("127.0.0.1", port), timeout=2)
except OSError as e:
    print(type(e).__name__, e)
