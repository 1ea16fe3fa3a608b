import os
import stat

kinds = []
for fd in range(3):
    st = os.fstat(fd)
    kinds.append((stat.S_ISFIFO(st.st_mode), stat.S_ISCHR(st.st_mode), stat.S_ISREG(st.st_mode), os.isatty(fd)))
print(kinds)
