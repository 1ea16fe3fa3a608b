class Wait:
    def __await__(self):
        yield 1
async def f():
    try:
        await Wait()
    finally:
        print("finally")
c = f()
print(c.send(None))
