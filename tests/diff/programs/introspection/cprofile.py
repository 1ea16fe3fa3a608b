import cProfile
import io
import pstats


def work():
    return sum(square(i) for i in range(10))


def square(x):
    return x * x


p = cProfile.Profile()
p.enable()
work()
p.disable()
s = pstats.Stats(p, stream=io.StringIO())
print(sorted((k[2], v[0]) for k, v in s.stats.items()), s.total_calls)
