import os

open("f", "w").close()
os.mkdir("d")
print(oct(os.stat("f").st_mode), oct(os.stat("d").st_mode & 0o777), oct(os.umask(0)))
