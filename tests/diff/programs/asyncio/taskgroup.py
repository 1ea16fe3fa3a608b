# needs: 3.11
import asyncio


async def f(n):
    await asyncio.sleep(0)
    if n == 1:
        raise ValueError(n)
    await asyncio.sleep(5)


async def main():
    async with asyncio.TaskGroup() as tg:
        for i in range(3):
            tg.create_task(f(i))


try:
    asyncio.run(main())
except* ValueError as g:
    print(g, g.exceptions)
