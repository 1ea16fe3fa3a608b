class A:
    def __del__(self):
        raise ValueError("in del")


A.__del__.__qualname__ = "A.__del__"
import sys

sys.unraisablehook = lambda a: sys.__stderr__.write(
    f"{a.exc_type.__name__}: {a.exc_value} tb={a.exc_traceback.tb_lineno}\n"
)
a = A()
a = None
print("goes on")
