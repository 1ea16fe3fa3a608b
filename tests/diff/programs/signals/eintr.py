import os
import signal
import time

signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.02)
t = time.monotonic()
time.sleep(0.1)
print(time.monotonic() - t >= 0.1)
r, w = os.pipe()
signal.setitimer(signal.ITIMER_REAL, 0.02)
pid = os.fork()
if pid == 0:
    time.sleep(0.1)
    os.write(w, b"x")
    os._exit(0)
print(os.read(r, 1), os.waitpid(pid, 0)[1])
