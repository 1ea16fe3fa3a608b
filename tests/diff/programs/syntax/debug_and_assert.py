print(__debug__)
assert False, ("a", 1)
