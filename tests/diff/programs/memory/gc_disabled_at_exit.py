import gc

gc.disable()


class Loud:
    def __del__(self):
        print("cycle collected at exit")


x = Loud()
x.self = x
del x
print("end", gc.isenabled())
