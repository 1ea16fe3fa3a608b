import sys


def prof(frame, event, arg):
    if frame.f_code.co_filename.endswith("main.py"):
        sys.stderr.write(f"{event} {frame.f_code.co_name}\n")


def f():
    return 1


sys.setprofile(prof)
f()
