import asyncio
async def f():
    await asyncio.sleep(0)
    return 5
print(asyncio.run(f()))
