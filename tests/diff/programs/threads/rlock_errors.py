import threading

lock = threading.RLock()
with lock, lock:
    print("re-entrant")
lock.release()
