import fcntl
import os

with open("lock", "w") as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    with open("lock") as g:
        try:
            fcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as e:
            print(e)
    print(fcntl.fcntl(f, fcntl.F_GETFD) & fcntl.FD_CLOEXEC, fcntl.fcntl(f, fcntl.F_GETFL) & os.O_ACCMODE)
