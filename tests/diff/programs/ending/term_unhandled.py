import os
import signal

os.kill(os.getpid(), signal.SIGTERM)
print("not reached")
