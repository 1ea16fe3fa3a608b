def walk(c):
    for s in c.__subclasses__():
        yield s.__module__ + "." + s.__qualname__
        yield from walk(s)


print(sorted(set(walk(BaseException))))
