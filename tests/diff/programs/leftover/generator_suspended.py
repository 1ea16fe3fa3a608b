def g():
    try:
        yield 1
        yield 2
    finally:
        print("finally")
it = g()
print(next(it))
