import mmap
import os

fd = os.memfd_create("name")
os.write(fd, b"abc")
print(os.pread(fd, 3, 0), os.preadv(fd, [bytearray(2)], 0), os.pwrite(fd, b"X", 1), os.fstat(fd).st_size)
os.posix_fallocate(fd, 0, 100)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_NORMAL)
print(os.fstat(fd).st_size, len(os.getrandom(4)), os.sched_yield(), os.getgroups() == os.getgroups())
a, b = os.open("a", os.O_CREAT | os.O_RDWR), os.open("b", os.O_CREAT | os.O_RDWR)
os.write(a, b"copied")
print(os.copy_file_range(a, b, 6, 0) if hasattr(os, "copy_file_range") else 6, os.sendfile(b, a, 0, 3), os.fsync(b), os.fdatasync(a))
m = mmap.mmap(-1, 8192, prot=mmap.PROT_READ | mmap.PROT_WRITE)
m.madvise(mmap.MADV_DONTNEED)
print(os.pidfd_open(os.getpid()) > 2, os.sched_get_priority_max(os.SCHED_OTHER), os.confstr("CS_PATH"))
