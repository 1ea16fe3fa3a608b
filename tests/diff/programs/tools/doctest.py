import doctest


def f(x):
    """
    >>> f(2)
    4
    >>> f(3)
    10
    >>> f("a")
    Traceback (most recent call last):
    TypeError: can't multiply sequence by non-int of type 'str'
    """
    return x * x


print(doctest.testmod())
