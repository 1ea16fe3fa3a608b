import multiprocessing as mp
import os
import sys

ctx = mp.get_context("fork")
codes = []
for target, args in ((sys.exit, (3,)), (sys.exit, ("text",)), (os._exit, (4,)), (os.abort, ())):
    p = ctx.Process(target=target, args=args)
    p.start()
    p.join()
    codes.append(p.exitcode)
print(codes)
