import asyncio


async def f(n):
    await asyncio.sleep(0.01 * (3 - n))
    if n == 2:
        raise ValueError(n)
    return n


async def main():
    print(await asyncio.gather(*(f(i) for i in range(4)), return_exceptions=True))
    await asyncio.gather(f(1), f(2))


asyncio.run(main())
