print(1 < 2 < 3, 1 < 3 > 2, 1 == 1.0 is not None, not 1 in [1])
