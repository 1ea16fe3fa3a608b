import threading


def hook(args):
    print("first mine")
    threading.__excepthook__(args)


threading.excepthook = hook
t = threading.Thread(target=lambda: [][1], name="t")
t.start()
t.join()
