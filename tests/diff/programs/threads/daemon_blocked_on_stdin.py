import os
import threading

r, w = os.pipe()
threading.Thread(target=os.read, args=(r, 1), daemon=True).start()
print("ends anyway")
