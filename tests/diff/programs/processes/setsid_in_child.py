import os

pid = os.fork()
if pid == 0:
    os._exit(0 if os.setsid() is None and os.getsid(0) == os.getpid() else 1)
print(os.waitpid(pid, 0)[1])
