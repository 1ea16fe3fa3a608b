import sys


def hook(kind, value, tb):
    print("leaving")
    sys.exit(21)


sys.excepthook = hook
raise ValueError("the first one")
