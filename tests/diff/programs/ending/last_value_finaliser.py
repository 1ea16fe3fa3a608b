import atexit


class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)

    def __repr__(self):
        return "Loud"


atexit.register(print, "atexit")
keep = Loud("kept")
Loud("last value")
