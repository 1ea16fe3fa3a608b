import os

print([os.get_blocking(fd) for fd in range(3)])
