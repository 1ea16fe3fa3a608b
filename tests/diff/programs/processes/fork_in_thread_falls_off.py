import os
import threading
import warnings

warnings.simplefilter("ignore")


def f():
    global pid
    pid = os.fork()
    if pid == 0:
        print("thread in the child", flush=True)


t = threading.Thread(target=f)
t.start()
t.join()
if pid:
    print("ended with", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
print("main", flush=True)
