"""
>>> add(1, 2)
3
"""


def add(a, b):
    return a + b


import doctest

doctest.testmod(verbose=True)
