import atexit
import os
import signal
import sys

signal.signal(signal.SIGUSR1, lambda *a: sys.exit(9))
atexit.register(lambda: (os.kill(os.getpid(), signal.SIGUSR1), [None for _ in range(1000)]))
print("main")
