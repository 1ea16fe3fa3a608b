import os
import signal

print("to my own group", flush=True)
os.kill(0, signal.SIGTERM)
