import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor


def f(x):
    if x == 2:
        raise ValueError("two")
    return x + 1


if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=mp.get_context("fork")) as pool:
        print(list(pool.map(f, [0, 1])))
        e = pool.submit(f, 2).exception()
        print(repr(e), type(e.__cause__).__name__)
