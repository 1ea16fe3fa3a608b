import asyncio


async def main():
    await asyncio.sleep(0)
    return "done"


print(asyncio.run(main()))
asyncio.run(main())
