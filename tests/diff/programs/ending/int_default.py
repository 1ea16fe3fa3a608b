import os
import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)
print("default", flush=True)
os.kill(os.getpid(), signal.SIGINT)
