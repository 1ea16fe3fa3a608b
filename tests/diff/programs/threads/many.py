import threading

total = 0
lock = threading.Lock()


def add(n):
    global total
    with lock:
        total += n


ts = [threading.Thread(target=add, args=(i,)) for i in range(25)]
[t.start() for t in ts]
[t.join() for t in ts]
total
print(total)
