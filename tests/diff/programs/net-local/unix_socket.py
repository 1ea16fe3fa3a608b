import os
import socket

s = socket.socket(socket.AF_UNIX)
s.bind("sock")
s.listen()
c = socket.socket(socket.AF_UNIX)
c.connect("sock")
conn, addr = s.accept()
r, w = os.pipe()
socket.send_fds(c, [b"fd"], [w])
msg, fds, flags, _ = socket.recv_fds(conn, 10, 1)
os.write(fds[0], b"through a passed descriptor")
print(msg, len(fds), os.read(r, 100))
for x in (s, c, conn):
    x.close()
