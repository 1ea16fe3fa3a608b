# needs: 3.11
import asyncio


async def f():
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError as e:
        return repr(e)


with asyncio.Runner() as r:
    print(r.run(f()), r.get_loop().is_running())
asyncio.run(asyncio.wait_for(asyncio.sleep(5), 0.01))
