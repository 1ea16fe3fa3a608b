import multiprocessing as mp
import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

with ProcessPoolExecutor(1, mp_context=mp.get_context("fork")) as pool:
    try:
        pool.submit(os._exit, 1).result()
    except BrokenProcessPool as e:
        print(type(e).__name__)
