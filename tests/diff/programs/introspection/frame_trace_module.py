import sys


def local(frame, event, arg):
    sys.stderr.write(f"{event} {frame.f_lineno}\n")
    return local


sys.settrace(lambda *a: None)
sys._getframe().f_trace = local
x = 1
y = x + 1
x + y
