import multiprocessing as mp

ctx = mp.get_context("fork")


def put(d, k):
    d[k] = k * k


with ctx.Manager() as m:
    d = m.dict()
    ps = [ctx.Process(target=put, args=(d, i)) for i in range(3)]
    [p.start() for p in ps]
    [p.join() for p in ps]
    print(sorted(d.items()), m.list([1, 2])[0])
