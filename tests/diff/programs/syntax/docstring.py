"""The module's docstring."""

print(__doc__)


def f():
    "f's doc"


class C:
    """C's doc"""


print(f.__doc__, C.__doc__)
