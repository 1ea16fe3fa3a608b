async def g():
    try:
        yield 1
    finally:
        print("finally")
it = g()
step = it.__anext__()
try:
    step.send(None)
except StopIteration as e:
    print(e.value)
