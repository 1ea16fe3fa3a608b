def show(x):
    print("show", x)
    return x


it = (show(i) for i in range(3))
print("made")
next(it)
