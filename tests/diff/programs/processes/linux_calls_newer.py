# needs: 3.10
import os

fd = os.eventfd(3)
print(os.eventfd_read(fd), os.eventfd_write(fd, 5), os.eventfd_read(fd))
r, w = os.pipe2(os.O_CLOEXEC)
r2, w2 = os.pipe()
os.write(w, b"spliced")
print(os.splice(r, w2, 7), os.read(r2, 10))
