import threading
import time


def bad():
    time.sleep(0.1)
    raise ValueError("late in a thread")


threading.Thread(target=bad, name="late").start()
