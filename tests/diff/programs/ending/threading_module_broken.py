import threading

threading._shutdown = lambda: 1 / 0
print("end")
