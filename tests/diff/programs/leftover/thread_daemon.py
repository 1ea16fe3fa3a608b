import threading, time
def f():
    time.sleep(30)
    print("never")
threading.Thread(target=f, daemon=True).start()
print("main ends")
