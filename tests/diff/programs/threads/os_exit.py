import os
import threading
import time

t = threading.Thread(target=os._exit, args=(31,))
t.start()
time.sleep(20)
