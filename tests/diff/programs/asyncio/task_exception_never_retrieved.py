import asyncio


async def bad():
    raise ValueError("nobody asks")


async def main():
    t = asyncio.ensure_future(bad())
    t.set_name("T") if hasattr(t, "set_name") else None
    await asyncio.sleep(0.01)
    del t
    print("main done")


asyncio.run(main())
