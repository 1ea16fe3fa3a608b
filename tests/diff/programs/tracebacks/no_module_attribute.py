class E(Exception):
    __module__ = None


raise E("text")
