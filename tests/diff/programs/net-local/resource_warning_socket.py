import socket
import warnings

warnings.simplefilter("always")
warnings.showwarning = lambda m, c, *a: print(c.__name__, str(m)[:8])
s = socket.socket()
del s
print("after")
