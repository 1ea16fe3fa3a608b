import threading

lock = threading.Lock()
lock.acquire()
threading.Thread(target=lock.acquire, daemon=True).start()
event = threading.Event()
threading.Thread(target=event.wait, daemon=True).start()
print("ends anyway")
