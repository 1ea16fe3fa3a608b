class E(Exception):
    pass


E.__module__ = "elsewhere"
raise E("text")
