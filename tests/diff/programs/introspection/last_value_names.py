def names():
    return [n for n in globals() if not n.startswith("__")]


print(names())
before = names()
assert names() == before + ["before"], names()
names() == ["names", "before"] or 1 / 0
