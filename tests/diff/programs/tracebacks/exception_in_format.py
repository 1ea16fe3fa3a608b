class F:
    def __format__(self, spec):
        raise TypeError("bad spec " + spec)


f"{F():xyz}"
