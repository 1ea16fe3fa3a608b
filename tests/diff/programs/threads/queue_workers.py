import queue
import threading

q, out = queue.Queue(), queue.PriorityQueue()


def work():
    while (x := q.get()) is not None:
        out.put(x * 2)
        q.task_done()


t = threading.Thread(target=work)
t.start()
for i in (3, 1, 2):
    q.put(i)
q.join()
q.put(None)
t.join()
print([out.get_nowait() for _ in range(3)], out.empty(), queue.LifoQueue(1).maxsize)
out.get_nowait()
