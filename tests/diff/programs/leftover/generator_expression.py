it = (print("looked at", n) or n for n in range(3))
next(it)
