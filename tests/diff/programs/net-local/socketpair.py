import selectors
import socket

a, b = socket.socketpair()
sel = selectors.DefaultSelector()
sel.register(b, selectors.EVENT_READ, "data")
print(sel.select(0))
a.sendall(b"ping")
print([(k.data, e) for k, e in sel.select(1)], b.recv(10), type(sel).__name__)
a.shutdown(socket.SHUT_WR)
print(b.recv(10), b.getblocking(), a.family == socket.AF_UNIX)
b.settimeout(0.01)
a.close()
sel.close()
b.close()
b.recv(1)
