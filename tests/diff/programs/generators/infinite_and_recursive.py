import itertools


def primes():
    seen = []
    for n in itertools.count(2):
        if all(n % p for p in seen):
            seen.append(n)
            yield n


def flatten(x):
    for i in x:
        if isinstance(i, list):
            yield from flatten(i)
        else:
            yield i


print(list(itertools.islice(primes(), 10)), list(flatten([1, [2, [3, [4]]]])))
