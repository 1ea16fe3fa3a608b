import multiprocessing as mp
import time

ctx = mp.get_context("fork")


def late():
    time.sleep(0.2)
    print("child printed late", flush=True)


ctx.Process(target=late).start()
print("main ends", flush=True)
