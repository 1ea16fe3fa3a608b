import threading


def f(n):
    try:
        return f(n + 1)
    except RecursionError:
        return n


out = []
t = threading.Thread(target=lambda: out.append(f(0)))
t.start()
t.join()
print(out)
