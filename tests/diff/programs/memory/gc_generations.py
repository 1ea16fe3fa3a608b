import gc

gc.collect()
print(gc.get_count()[1:], sum(gc.get_count()) < 2000, [sorted(s) for s in gc.get_stats()][0])
x = gc.get_referrers(gc)
print(gc.is_tracked(x), gc.is_tracked(5), gc.is_finalized(x))
