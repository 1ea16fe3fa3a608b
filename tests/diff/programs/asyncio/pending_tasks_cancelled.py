import asyncio


async def forever():
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print("cancelled at the end")
        raise


async def main():
    asyncio.ensure_future(forever())
    await asyncio.sleep(0)


asyncio.run(main())
