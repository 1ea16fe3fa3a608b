import _thread
import time

done = []
lock = _thread.allocate_lock()
lock.acquire()


def f(*a):
    done.append(a)
    lock.release()


_thread.start_new_thread(f, (1, 2))
lock.acquire()
print(done)


def bad():
    try:
        raise ValueError("low level")
    finally:
        done.append("bad ran")


import sys

sys.unraisablehook = lambda a: done.append(type(a.exc_value).__name__)
_thread.start_new_thread(bad, ())
while len(done) < 3:
    time.sleep(0.01)
print(done)
