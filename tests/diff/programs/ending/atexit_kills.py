import atexit
import os
import signal

atexit.register(os.kill, os.getpid(), signal.SIGKILL)
print("out", flush=True)
