async def f():
    pass
c = f()
