import atexit, threading
def start():
    try:
        t = threading.Thread(target=print, args=("in a thread",))
        t.start()
        t.join()
    except RuntimeError as e:
        print(type(e).__name__)
atexit.register(start)
