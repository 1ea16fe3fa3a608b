import threading
import time


def spam():
    while True:
        time.sleep(0.001)
        hash("x")


for _ in range(4):
    threading.Thread(target=spam, daemon=True).start()
print("main ends")
raise ValueError("with daemons running")
