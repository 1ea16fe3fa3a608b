import atexit
import threading
import time

atexit.register(lambda: print("atexit, threads:", threading.active_count()))


def f():
    time.sleep(0.05)
    print("thread ends")


threading.Thread(target=f).start()
print("main ends")
