import sys


def tracer(frame, event, arg):
    print(frame.f_code.co_name, event, frame.f_lineno)
    return tracer


def traced():
    return 5


sys.settrace(tracer)
traced()
sys.settrace(None)
