def g():
    got = yield 1
    print("got", got)
    try:
        yield 2
    except ValueError as e:
        print("thrown", e)
        yield 3
    return "value"


it = g()
print(next(it), it.send("sent"), it.throw(ValueError("v")))
try:
    next(it)
except StopIteration as e:
    print(e.value)
next(it)
