class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name, __name__ is None, print is None)


_private = Loud("_private")
public = Loud("public")
z = Loud("z")
__dunder = Loud("__dunder")
