def f():
    return """two
lines"""

print(repr(f()))
1/0
