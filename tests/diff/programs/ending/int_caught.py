import os
import signal

try:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10**7):
        pass
except KeyboardInterrupt as e:
    print("caught", repr(e))
