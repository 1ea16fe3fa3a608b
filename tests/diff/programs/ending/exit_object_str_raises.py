import sys


class Reason:
    def __str__(self):
        raise ValueError("no words")


sys.exit(Reason())
