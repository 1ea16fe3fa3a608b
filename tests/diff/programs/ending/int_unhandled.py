import os
import signal

print("about to be interrupted", flush=True)
os.kill(os.getpid(), signal.SIGINT)
for _ in range(10**7):
    pass
print("not reached")
