import sys


def hook(kind, value, tb):
    raise KeyError("inside the hook")


sys.excepthook = hook
raise ValueError("the first one")
