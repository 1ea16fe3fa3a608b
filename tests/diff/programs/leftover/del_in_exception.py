class A:
    def __del__(self):
        print("gone")
def f():
    a = A()
    raise ValueError("it holds a frame")
f()
