# timeout: 60
import multiprocessing as mp
import sys


def child():
    pass


if __name__ != "__main__":
    print("child main is", __name__, flush=True)
    sys.exit(3)
p = mp.get_context("spawn").Process(target=child)
p.start()
p.join()
print("exit code", p.exitcode)
