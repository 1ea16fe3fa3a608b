import sys
import threading

t = threading.Thread(target=sys.exit, args=(5,))
t.start()
t.join()
print("not ended by it")
