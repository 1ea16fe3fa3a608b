import faulthandler
import os
import signal

f = open("dump", "w")
faulthandler.register(signal.SIGUSR1, file=f, all_threads=False)


def here():
    os.kill(os.getpid(), signal.SIGUSR1)


here()
print([l.split(" in ")[-1].strip() for l in open("dump").read().splitlines()])
