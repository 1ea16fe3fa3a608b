def f(a, *, b):
    pass


for call in (lambda: f(), lambda: f(1), lambda: f(1, 2, b=3), lambda: f(1, b=1, c=2), lambda: len(5), lambda: "a" + 1):
    try:
        call()
    except TypeError as e:
        print(e)
f(1, 2)
