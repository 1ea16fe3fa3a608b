import asyncio
import atexit

atexit.register(lambda: print(asyncio.run(asyncio.sleep(0, "slept in atexit"))))
