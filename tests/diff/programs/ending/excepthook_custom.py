import sys


def hook(kind, value, tb):
    print("hook:", kind.__name__, value, tb.tb_lineno, tb.tb_next)


sys.excepthook = hook
raise ValueError("seen by the hook")
