import timeit

print(timeit.timeit("x += 1", "x = 0", number=10) >= 0, len(timeit.repeat("pass", repeat=3, number=1)), timeit.default_timer() > 0)
timeit.timeit("1 / 0", number=1)
