import gc

n = 0


class C:
    def __del__(self):
        global n
        n += 1


for _ in range(2000):
    c = C()
    c.me = c
del c
gc.collect()
print(n)
