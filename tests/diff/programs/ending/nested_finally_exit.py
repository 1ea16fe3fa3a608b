def f():
    try:
        raise ValueError
    finally:
        try:
            raise SystemExit(3)
        finally:
            print("inner finally")


f()
