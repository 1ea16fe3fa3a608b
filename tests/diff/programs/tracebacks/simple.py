def a():
    b()


def b():
    c(1, 0)


def c(x, y):
    return x / y


a()
