import asyncio


async def agen():
    try:
        for i in range(5):
            yield i
    finally:
        print("async generator closed")


async def main():
    print([x async for x in agen()])
    g = agen()
    print(await g.__anext__())


asyncio.run(main())
