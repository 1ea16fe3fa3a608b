def outer():
    if True:
        for i in range(1):
            with open("/dev/null"):
                try:
                    return {"a": [i for i in [1, 2, 3 / 0]]}
                finally:
                    pass


outer()
