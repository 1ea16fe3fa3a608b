list(range(5000))
