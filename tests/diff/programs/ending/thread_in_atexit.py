import atexit
import threading


def f():
    try:
        t = threading.Thread(target=lambda: print("thread in atexit"))
        t.start()
        t.join()
    except RuntimeError as e:
        print("RuntimeError", e)


atexit.register(f)
