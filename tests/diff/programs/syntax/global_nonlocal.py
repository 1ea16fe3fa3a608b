counter = 0


def outer():
    n = 0

    def inner():
        nonlocal n
        global counter
        n += 1
        counter += 10
        return n

    inner()
    return inner()


print(outer(), counter)
