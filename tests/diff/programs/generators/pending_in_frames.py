def g(name):
    try:
        yield name
    finally:
        print("closing", name)


a = g("module variable")
next(a)
holder = [g("in a list")]
next(holder[0])
next(g("temporary"))
print("end")
