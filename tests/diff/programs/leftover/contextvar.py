import contextvars
class A:
    def __del__(self):
        print("gone")
v = contextvars.ContextVar("v")
v.set(A())
