import multiprocessing as mp
import time

ctx = mp.get_context("fork")
p = ctx.Process(target=time.sleep, args=(30,))
p.start()
p.terminate()
p.join()
print(p.exitcode)
p = ctx.Process(target=time.sleep, args=(30,))
p.start()
p.kill()
p.join()
print(p.exitcode)
