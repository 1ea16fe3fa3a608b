import os
import signal

got = []
signal.signal(signal.SIGCHLD, lambda s, f: got.append(s))
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
while not got:
    pass
print(got[0] == signal.SIGCHLD)
