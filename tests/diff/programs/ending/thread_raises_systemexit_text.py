import sys
import threading

t = threading.Thread(target=lambda: sys.exit("not shown"))
t.start()
t.join()
print("ok")
