async def main():
    return 5


class A:
    async def __aenter__(self):
        return 1

    async def __aexit__(self, *a):
        pass


async def g():
    async with A() as a:
        yield a
    async for x in g():
        yield x


co = main()
try:
    co.send(None)
except StopIteration as e:
    print(e.value)
print(type(g()).__name__)
