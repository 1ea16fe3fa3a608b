def tag(name):
    def deco(f):
        f.tags = getattr(f, "tags", ()) + (name,)
        return f

    return deco


@tag("a")
@tag("b")
@(lambda f: f)
def g():
    pass


print(g.tags)
