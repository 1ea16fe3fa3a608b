from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(2)
print(sorted(pool.map(lambda n: n * n, range(5))))
