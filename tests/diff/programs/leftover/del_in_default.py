class A:
    def __del__(self):
        print("gone")
def f(x=A()):
    pass
