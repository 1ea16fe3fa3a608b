import weakref


class A:
    pass


a = A()
weakref.finalize(a, print, "finalize a")
b = A()
f = weakref.finalize(b, print, "finalize b: at exit no")
f.atexit = False
weakref.finalize(A, print, "finalize the class")
print("end")
