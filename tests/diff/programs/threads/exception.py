import threading


def bad():
    raise ValueError("in a thread")


t = threading.Thread(target=bad, name="worker-1")
t.start()
t.join()
print("main goes on")
