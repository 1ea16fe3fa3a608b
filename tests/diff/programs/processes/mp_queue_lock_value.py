import multiprocessing as mp

ctx = mp.get_context("fork")


def add(v, lock, q, n):
    for _ in range(50):
        with lock:
            v.value += 1
    q.put(n)


v, lock, q = ctx.Value("i", 0, lock=False), ctx.Lock(), ctx.Queue()
ps = [ctx.Process(target=add, args=(v, lock, q, i)) for i in range(3)]
[p.start() for p in ps]
print(sorted(q.get() for _ in ps))
[p.join() for p in ps]
print(v.value, ctx.Array("d", [1, 2])[:])
