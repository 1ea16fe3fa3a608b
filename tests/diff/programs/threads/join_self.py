import threading

threading.current_thread().join()
