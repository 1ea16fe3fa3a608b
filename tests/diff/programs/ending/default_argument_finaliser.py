class Loud:
    def __del__(self):
        print("default argument goes")


def f(x=Loud()):
    return x


print("end")
