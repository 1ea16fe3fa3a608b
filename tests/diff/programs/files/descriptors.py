import errno
import os

fd = os.open("f", os.O_CREAT | os.O_RDWR | os.O_EXCL)
print(os.write(fd, b"abc"), os.lseek(fd, 0, os.SEEK_SET), os.read(fd, 10), os.pread(fd, 1, 1))
dup = os.dup(fd)
os.close(fd)
os.ftruncate(dup, 1)
print(os.fstat(dup).st_size, os.get_inheritable(dup))
try:
    os.read(fd, 1)
except OSError as e:
    print(errno.errorcode[e.errno], e)
os.sendfile(dup, dup, 0, 0) if False else os.close(dup)
os.close(dup)
