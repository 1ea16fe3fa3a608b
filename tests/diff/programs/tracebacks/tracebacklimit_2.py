import sys

sys.tracebacklimit = 2


def a():
    b()


def b():
    c()


def c():
    raise ValueError("deep")


a()
