import os
import signal

pid = os.fork()
if pid == 0:
    import time

    parent = os.getppid()
    while open(f"/proc/{parent}/stat").read().rsplit(")", 1)[1].split()[0] != "T":
        time.sleep(0.005)
    os.kill(parent, signal.SIGCONT)
    os._exit(0)
os.kill(os.getpid(), signal.SIGSTOP)
os.waitpid(pid, 0)
print("continued")
