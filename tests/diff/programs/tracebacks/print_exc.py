import sys
import traceback


def f():
    try:
        1 / 0
    except ZeroDivisionError:
        traceback.print_exc()
        traceback.print_exc(file=sys.stdout, limit=1)
        print(traceback.format_exc().count("\n"))


f()
