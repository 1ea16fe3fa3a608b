import contextlib
@contextlib.contextmanager
def c():
    try:
        yield 1
    finally:
        print("left")
m = c()
m.__enter__()
