def f():
    try:
        1 / 0
    except ZeroDivisionError as e:
        print("seen", e)
        raise


f()
