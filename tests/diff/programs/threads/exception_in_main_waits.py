import threading
import time


def f():
    time.sleep(0.1)
    print("the thread is still awaited")


threading.Thread(target=f).start()
raise ValueError("main fails first")
