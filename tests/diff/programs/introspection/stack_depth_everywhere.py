import inspect
import threading


def depth():
    return len(inspect.stack())


class C:
    d = depth()

    def __del__(self):
        print("del", len(inspect.stack()))


out = []
t = threading.Thread(target=lambda: out.append(depth()))
t.start()
t.join()
import atexit

atexit.register(lambda: print("atexit", depth()))
print(depth(), C.d, [depth() for _ in "x"], eval("depth()"), out)
c = C()
del c
