import asyncio
import threading


async def main():
    loop = asyncio.get_running_loop()
    print(await asyncio.to_thread(lambda: threading.current_thread() is threading.main_thread()))
    print(await loop.run_in_executor(None, sum, [1, 2, 3]))


asyncio.run(main())
