def f():
    return 1

def g():
    return 2
print(f(), g())
1/0
