async def agen():
    yield 1


g = agen()
try:
    g.__anext__().send(None)
except StopIteration as e:
    print(e.value)
