import sys

events = []


def prof(frame, event, arg):
    events.append((event, frame.f_code.co_name, getattr(arg, "__name__", None)))


import atexit

atexit.register(lambda: print(events))


def f():
    return len("abc")


sys.setprofile(prof)
f()
sys.setprofile(None)
