import threading

t = threading.Timer(60, print, ["never"])
t.start()
t.cancel()
u = threading.Timer(0.05, print, ["timer fired"])
u.start()
