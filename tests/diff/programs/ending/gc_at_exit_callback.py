import gc
import sys

events = []


def cb(phase, info):
    if len(events) < 4:
        events.append(phase)


gc.callbacks.append(cb)
gc.collect()
gc.callbacks.clear()
print(events)
