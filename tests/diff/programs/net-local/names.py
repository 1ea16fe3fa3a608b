import socket

print(socket.getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM), socket.inet_aton("1.2.3.4"), socket.ntohs(1), socket.inet_pton(socket.AF_INET6, "::1"))
print(socket.htons(80), socket.getservbyname("http") if False else "", socket.getdefaulttimeout(), socket.has_ipv6)
socket.inet_aton("not an address")
