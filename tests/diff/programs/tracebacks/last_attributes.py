import atexit
import sys


def show():
    print(sys.last_type.__name__, sys.last_value, sys.last_traceback.tb_lineno)
    print(sys.last_traceback.tb_frame.f_code.co_name, sys.last_traceback.tb_next is None)


atexit.register(show)
raise ValueError("remembered")
