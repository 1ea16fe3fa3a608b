print(math.pi)
