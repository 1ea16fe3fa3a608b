import os
import signal


def handler(s, f):
    raise RuntimeError("from a handler")


signal.signal(signal.SIGUSR1, handler)


def work():
    os.kill(os.getpid(), signal.SIGUSR1)
    for _ in range(1000):
        pass


work()
