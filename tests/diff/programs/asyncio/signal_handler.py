import asyncio
import os
import signal


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    os.kill(os.getpid(), signal.SIGTERM)
    await stop.wait()
    print("stopped by SIGTERM")


asyncio.run(main())
