import traceback


def f():
    print("".join(traceback.format_stack()))
    traceback.print_stack()


def g():
    f()


g()
traceback.print_stack()
