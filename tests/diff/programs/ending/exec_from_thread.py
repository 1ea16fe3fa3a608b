import os
import threading

print("before", flush=True)
threading.Thread(target=os.execv, args=("/bin/sh", ["sh", "-c", "echo from a thread; exit 8"])).start()
import time

time.sleep(20)
