async def f():
    pass


co = f()
print("ends with it pending")
