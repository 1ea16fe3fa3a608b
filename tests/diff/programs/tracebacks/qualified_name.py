class Outer:
    class Inner(Exception):
        pass


def f():
    class Local(Exception):
        pass

    return Local


try:
    raise Outer.Inner("x")
except Outer.Inner:
    raise f()("y")
