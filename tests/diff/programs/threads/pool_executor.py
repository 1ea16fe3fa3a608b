from concurrent.futures import ThreadPoolExecutor, as_completed


def square(x):
    if x == 3:
        raise ValueError(x)
    return x * x


with ThreadPoolExecutor(3) as pool:
    fs = {pool.submit(square, i): i for i in range(5)}
    results = []
    for f in as_completed(fs):
        results.append((fs[f], f.result() if not f.exception() else repr(f.exception())))
print(sorted(results))
print(list(ThreadPoolExecutor(2).map(square, range(2))))
