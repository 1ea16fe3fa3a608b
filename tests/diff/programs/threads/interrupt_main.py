import _thread
import threading
import time

threading.Timer(0.05, _thread.interrupt_main).start()
try:
    while True:
        time.sleep(0.01)
except KeyboardInterrupt:
    print("interrupted by a thread")
