import atexit
import os


def f():
    pid = os.fork()
    if pid == 0:
        os._exit(3)
    print("child ended with", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


atexit.register(f)
