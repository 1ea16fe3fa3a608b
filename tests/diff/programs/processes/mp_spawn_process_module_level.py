# timeout: 60
import multiprocessing as mp

if __name__ == "__main__":
    print("main", flush=True)
else:
    print("imported again as", __name__, flush=True)


def child(q):
    q.put((__name__, "hello"))


if __name__ == "__main__":
    mp.set_start_method("spawn")
    q = mp.Queue()
    p = mp.Process(target=child, args=(q,))
    p.start()
    print(q.get())
    p.join()
    print(p.exitcode)
