import sys


def tracer(frame, event, arg):
    if frame.f_code.co_filename.endswith("main.py"):
        sys.stderr.write(f"{frame.f_code.co_name} {event} {frame.f_lineno}\n")
    return tracer


def traced():
    return 5


sys.settrace(tracer)
traced()
traced() + 1
