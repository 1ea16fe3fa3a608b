async def forgotten():
    print("never runs")


forgotten()
