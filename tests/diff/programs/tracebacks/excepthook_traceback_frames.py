import sys


def hook(t, v, tb):
    while tb:
        f = tb.tb_frame
        print(f.f_code.co_name, tb.tb_lineno, f.f_back and f.f_back.f_code.co_name)
        tb = tb.tb_next


sys.excepthook = hook


def f():
    1 / 0


f()
