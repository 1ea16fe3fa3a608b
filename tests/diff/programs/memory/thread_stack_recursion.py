import sys
import threading

sys.setrecursionlimit(3000)
threading.stack_size(16 * 1024 * 1024)


def f(n):
    return 0 if n == 0 else 1 + f(n - 1)


out = []
t = threading.Thread(target=lambda: out.append(f(2500)))
t.start()
t.join()
print(out, threading.stack_size())
