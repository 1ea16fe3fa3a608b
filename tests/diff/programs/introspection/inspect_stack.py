import inspect


def f():
    for fi in inspect.stack():
        print(fi.function, fi.lineno, fi.code_context, fi.index)
    print(inspect.currentframe().f_back.f_lineno, len(inspect.stack()))


def g():
    f()


g()
print([(i.function, i.lineno) for i in inspect.stack()])
print(inspect.getouterframes(inspect.currentframe())[-1].function)
