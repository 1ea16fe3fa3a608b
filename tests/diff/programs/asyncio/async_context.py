import asyncio
from contextlib import AsyncExitStack, asynccontextmanager


@asynccontextmanager
async def ctx(n):
    print("enter", n)
    try:
        yield n
    finally:
        print("exit", n)


async def main():
    async with AsyncExitStack() as stack:
        for i in range(2):
            await stack.enter_async_context(ctx(i))
        raise ValueError("body")


asyncio.run(main())
