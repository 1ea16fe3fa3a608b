import os
import signal

r, w = os.pipe()
os.set_blocking(w, False)
signal.set_wakeup_fd(w)
signal.signal(signal.SIGUSR1, lambda *a: None)
os.kill(os.getpid(), signal.SIGUSR1)
print(os.read(r, 10), signal.set_wakeup_fd(-1) == w)
