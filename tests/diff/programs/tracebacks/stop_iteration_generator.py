def g():
    raise StopIteration("inside")
    yield


next(g())
