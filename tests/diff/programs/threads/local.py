import threading

data = threading.local()
data.x = 1
seen = []


def f(n):
    seen.append(hasattr(data, "x"))
    data.x = n


ts = [threading.Thread(target=f, args=(i,)) for i in range(3)]
for t in ts:
    t.start()
for t in ts:
    t.join()
print(seen, data.x)
