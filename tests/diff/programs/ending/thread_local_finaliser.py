import threading


class Loud:
    def __del__(self):
        print("thread-local value goes")


data = threading.local()
data.x = Loud()
print("end")
