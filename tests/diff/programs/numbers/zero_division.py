for f in (lambda: 1 // 0, lambda: 1 % 0, lambda: 1.0 / 0, lambda: 0**-1, lambda: divmod(1.0, 0), lambda: 1j / 0):
    try:
        f()
    except ZeroDivisionError as e:
        print(e)
pow(5, 2, 0)
