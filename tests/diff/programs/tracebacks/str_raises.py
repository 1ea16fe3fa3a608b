class E(Exception):
    def __str__(self):
        raise ValueError("in __str__")


raise E
