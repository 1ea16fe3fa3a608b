import socket

a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
a.bind(("127.0.0.1", 0))
b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
b.sendto(b"datagram", a.getsockname())
print(a.recvfrom(100)[0])
a.close()
b.close()
