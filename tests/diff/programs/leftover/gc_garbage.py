import gc
gc.garbage.append("left")
gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
