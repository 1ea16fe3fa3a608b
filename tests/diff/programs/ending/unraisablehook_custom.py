import sys


def hook(args):
    print("unraisable", args.exc_type.__name__, args.exc_value, args.err_msg)


sys.unraisablehook = hook


class A:
    def __del__(self):
        raise ValueError("in del")


A()
a = A()
