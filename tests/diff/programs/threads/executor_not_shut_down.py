import time
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(2)
pool.submit(time.sleep, 0.1).add_done_callback(lambda f: print("done callback"))
print("main ends")
