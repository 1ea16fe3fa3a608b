import tracemalloc

print(tracemalloc.is_tracing())
tracemalloc.start()
x = [bytes(1000) for _ in range(100)]
cur, peak = tracemalloc.get_traced_memory()
print(cur > 100000, peak >= cur, tracemalloc.is_tracing())
snap = tracemalloc.take_snapshot()
top = max(snap.statistics("lineno"), key=lambda s: s.size)
print(top.traceback[0].lineno, top.traceback[0].filename == __file__)
tracemalloc.stop()
