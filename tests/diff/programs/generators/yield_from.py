def inner():
    x = yield "a"
    return f"inner got {x}"


def outer():
    r = yield from inner()
    yield r
    yield from range(2)


o = outer()
print(next(o), o.send(5), list(o))
