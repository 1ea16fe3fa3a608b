import os
import signal
import sys

print("before kill", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
