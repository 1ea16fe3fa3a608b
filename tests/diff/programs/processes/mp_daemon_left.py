import multiprocessing as mp
import time

ctx = mp.get_context("fork")
p = ctx.Process(target=time.sleep, args=(30,), daemon=True)
p.start()
print("alive", p.is_alive(), len(mp.active_children()))
