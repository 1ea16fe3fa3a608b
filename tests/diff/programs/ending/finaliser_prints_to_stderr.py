import sys


class A:
    def __del__(self, err=sys.stderr):
        err.write("finaliser on stderr\n")
        err.flush()


a = A()
b = [a]
b.append(b)
del a
