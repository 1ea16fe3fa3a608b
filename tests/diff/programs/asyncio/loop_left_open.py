import asyncio

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
fut = loop.create_future()
loop.call_soon(fut.set_result, 5)
print(loop.run_until_complete(fut))
