import os
import threading


def f():
    pid = os.fork()
    if pid == 0:
        print("child:", threading.current_thread() is threading.main_thread(), threading.active_count(), flush=True)
        os._exit(3)
    print("saw", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


import warnings

warnings.simplefilter("ignore")
t = threading.Thread(target=f)
t.start()
t.join()
