import asyncio

try:
    asyncio.get_running_loop()
except RuntimeError as e:
    print(e)
loop = asyncio.new_event_loop()
print(loop.is_running(), loop.is_closed(), type(loop).__name__)
print(loop.run_until_complete(asyncio.sleep(0, "value")))
loop.close()
