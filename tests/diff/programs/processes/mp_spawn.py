# timeout: 60
import multiprocessing as mp


class Point:
    def __init__(self, x):
        self.x = x


def double(p):
    return Point(p.x * 2)


if __name__ == "__main__":
    ctx = mp.get_context("spawn")
    with ctx.Pool(1) as pool:
        print([p.x for p in pool.map(double, [Point(1), Point(5)])])
