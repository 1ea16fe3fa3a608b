import _thread
import threading
import time

threading.Timer(0.05, _thread.interrupt_main).start()
try:
    time.sleep(20)
except KeyboardInterrupt:
    print("interrupted by a thread")
