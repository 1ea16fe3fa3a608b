import asyncio


async def producer(q):
    for i in range(3):
        await q.put(i)
    await q.put(None)


async def main():
    q, lock = asyncio.Queue(1), asyncio.Lock()
    t = asyncio.create_task(producer(q))
    got = []
    while (x := await q.get()) is not None:
        async with lock:
            got.append(x)
    await t
    print(got, lock.locked(), q.qsize())


asyncio.run(main())
