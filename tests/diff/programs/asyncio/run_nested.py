import asyncio


async def main():
    co = asyncio.sleep(0)
    try:
        asyncio.run(co)
    finally:
        co.close()


asyncio.run(main())
