import socket, warnings
warnings.simplefilter("always", ResourceWarning)
s = socket.socket(socket.AF_UNIX)
del s
