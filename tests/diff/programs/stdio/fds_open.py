import os

# the directory's own descriptor is the one after the standard three
print(sorted(os.listdir("/proc/self/fd"), key=int))
print([os.get_inheritable(fd) for fd in range(3)])
f = os.open("/dev/null", os.O_RDONLY)
print(f, os.get_inheritable(f))
