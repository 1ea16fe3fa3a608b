import sys


class Seven:
    def __index__(self):
        return 7

    def __str__(self):
        return "seven"


sys.exit(Seven())
