def check(x):
    assert x > 0
    assert x < 10, f"too big: {x}"


check(5)
try:
    check(-1)
except AssertionError as e:
    print(repr(e))
check(11)
