import asyncio
import os
import signal


async def main():
    os.kill(os.getpid(), signal.SIGINT)
    try:
        await asyncio.sleep(10)
    finally:
        print("cleaned up")


asyncio.run(main())
