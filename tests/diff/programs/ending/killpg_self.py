import os
import signal

print("to my own group", flush=True)
os.killpg(0, signal.SIGKILL)
