import asyncio
async def forever():
    try:
        await asyncio.sleep(100)
    finally:
        print("cancelled or closed")
loop = asyncio.new_event_loop()
task = loop.create_task(forever())
loop.call_later(0.01, loop.stop)
loop.run_forever()
