if 1:
    continue
