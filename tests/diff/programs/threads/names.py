import threading

ts = [threading.Thread(target=lambda: None) for _ in range(2)]
ts.append(threading.Timer(0, print))
print([t.name for t in ts])


def work():
    pass


print(threading.Thread(target=work).name, threading.Thread(name="mine").name)
