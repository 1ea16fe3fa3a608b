import contextlib


@contextlib.contextmanager
def c(n):
    print("enter", n)
    try:
        yield n
    except ValueError as e:
        print("handled", e)
    finally:
        print("exit", n)


with c(1) as a, contextlib.suppress(KeyError):
    {}["x"]
with c(2):
    raise ValueError("v")
with contextlib.ExitStack() as s:
    s.callback(print, "callback")
    s.enter_context(c(3))
    s.push(lambda *e: print("push", e[0]) or True)
    raise KeyError("swallowed")


class Closer:
    def close(self):
        print("closed")


with contextlib.closing(Closer()):
    pass
with c(4):
    raise TypeError("not handled")
