def g():
    while True:
        try:
            yield
        except GeneratorExit:
            print("closed by the end")
            return


x = g()
next(x)
y = [x]
del x
