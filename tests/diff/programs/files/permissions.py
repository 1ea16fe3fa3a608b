import os
import stat

open("f", "w").close()
os.chmod("f", 0o640)
print(stat.filemode(os.stat("f").st_mode), oct(stat.S_IMODE(os.lstat("f").st_mode)))
fd = os.open("g", os.O_CREAT | os.O_WRONLY, 0o777)
print(oct(os.fstat(fd).st_mode & 0o777))
