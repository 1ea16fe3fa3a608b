import threading
import time


def late():
    time.sleep(0.2)
    print("printed after main")


threading.Thread(target=late).start()
print("main ends")
