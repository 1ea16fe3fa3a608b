import gc

print(gc.get_freeze_count(), len(gc.get_stats()))
