def g():
    yield 1
    raise ValueError("in a generator")


for x in g():
    print(x)
