def f(*a):
    raise ValueError("x")


f(
    1,
    2,
    f(
        3,
    ),
)
