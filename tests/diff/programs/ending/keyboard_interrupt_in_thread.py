import threading


def f():
    raise KeyboardInterrupt("in a thread")


t = threading.Thread(target=f, name="t")
t.start()
t.join()
print("main ends")
