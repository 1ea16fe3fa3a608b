def tree(c, n=0):
    print(" " * n + c.__name__)
    for s in sorted((s for s in c.__subclasses__() if s.__module__ == "builtins"), key=lambda s: s.__name__):
        tree(s, n + 1)


tree(BaseException)
