class It:
    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        if self.n > 2:
            raise StopIteration
        return self.n


class Old:
    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return i * i


print(list(It()), list(Old()), list(iter(iter([1, 2, 0, 3]).__next__, 0)), 4 in Old())
for x in 5:
    pass
