import threading


def hook(args):
    raise RuntimeError("hook failed")


threading.excepthook = hook
t = threading.Thread(target=lambda: 1 / 0, name="t")
t.start()
t.join()
