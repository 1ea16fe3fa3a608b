sorted([3, "a", 2])
