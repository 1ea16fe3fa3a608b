import sys

sys.unraisablehook = lambda a: sys.__stderr__.write(f"{type(a.exc_value).__name__} {a.exc_value}\n")


def stubborn():
    try:
        yield 1
    except GeneratorExit:
        yield 2


g = stubborn()
next(g)
