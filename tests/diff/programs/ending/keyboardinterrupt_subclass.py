class Mine(KeyboardInterrupt):
    pass


raise Mine("mine")
