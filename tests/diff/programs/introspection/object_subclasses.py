# exit's type, and what looking for the last value needs, are the runner's: the rest has to be the same
extra = {"Quitter", "AST", "result"}
names = sorted(c.__module__ + "." + c.__qualname__ for c in object.__subclasses__() if c.__name__ not in extra)
print("\n".join(names))
