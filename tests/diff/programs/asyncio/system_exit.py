import asyncio
import sys


async def main():
    sys.exit(19)


asyncio.run(main())
