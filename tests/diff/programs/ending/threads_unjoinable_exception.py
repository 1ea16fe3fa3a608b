import threading
import time


def f():
    time.sleep(0.05)
    raise SystemExit(3)


threading.Thread(target=f).start()
print("main ends")
