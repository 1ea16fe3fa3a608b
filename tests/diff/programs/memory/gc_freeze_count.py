import gc

print(gc.get_freeze_count() < 1000, len(gc.get_stats()))
