import contextvars


class Loud:
    def __del__(self):
        print("context value goes")


v = contextvars.ContextVar("v")
v.set(Loud())
print("end")
