import threading

barrier = threading.Barrier(3)
sem = threading.BoundedSemaphore(2)
cond = threading.Condition()
box = []


def worker(i):
    with sem:
        barrier.wait() if i < 0 else None
    with cond:
        box.append(i)
        cond.notify_all()


ts = [threading.Thread(target=worker, args=(i,)) for i in range(5)]
for t in ts:
    t.start()
with cond:
    cond.wait_for(lambda: len(box) == 5, timeout=10)
for t in ts:
    t.join()
print(sorted(box), barrier.n_waiting)
sem.release()
