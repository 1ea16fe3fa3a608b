import asyncio
import logging

logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s")


async def main():
    print(asyncio.get_running_loop().get_debug())


asyncio.run(main(), debug=True)
