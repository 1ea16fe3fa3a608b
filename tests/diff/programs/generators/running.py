def g():
    next(it)
    yield


it = g()
next(it)
