import asyncio


async def inner():
    raise LookupError("in a coroutine")


async def main():
    await inner()


asyncio.run(main())
