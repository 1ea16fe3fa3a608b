import sys


class Reason:
    def __str__(self):
        return "the reason"


sys.exit(Reason())
