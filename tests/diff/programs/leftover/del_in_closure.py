class A:
    def __del__(self):
        print("gone")
def outer():
    a = A()
    return lambda: a
f = outer()
