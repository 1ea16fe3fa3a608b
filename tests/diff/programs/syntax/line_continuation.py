x = 1 + \
    2 + \
    3
print(x)
assert x == 7, \
    "continued " \
    "message"
