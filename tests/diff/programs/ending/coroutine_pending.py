import asyncio


async def c():
    try:
        await asyncio.sleep(0)
        await asyncio.Event().wait()
    finally:
        print("coroutine closed")


co = c()
co.send(None)
print("main ends")
