import os

print(open("/dev/null", "rb").read(), len(os.urandom(8)), len(open("/dev/urandom", "rb").read(4)), open("/dev/zero", "rb").read(2))
print(os.path.exists("/dev/shm"), os.devnull)
