import traceback


def f(secret):
    local = [1, 2]
    raise LookupError("look")


try:
    f("x")
except LookupError as e:
    te = traceback.TracebackException.from_exception(e, capture_locals=True)
    for fs in te.stack[1:]:
        print(fs.name, fs.lineno, fs.line, fs.locals)
    print("".join(te.format_exception_only()), end="")
    print(te.exc_type.__name__ if hasattr(te, "exc_type") else "", te.stack[0].name, len(te.stack))
