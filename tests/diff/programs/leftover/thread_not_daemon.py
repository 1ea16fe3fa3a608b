import threading, time
def f():
    time.sleep(0.2)
    print("the thread ends")
threading.Thread(target=f).start()
print("main ends")
