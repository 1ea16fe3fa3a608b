def f():
    raise KeyboardInterrupt("with a text")


f()
