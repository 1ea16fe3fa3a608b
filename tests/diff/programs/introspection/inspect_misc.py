import inspect


async def co(): ...


def gen():
    x = yield 1


g = gen()
print(inspect.getgeneratorstate(g), next(g), inspect.getgeneratorstate(g), inspect.getgeneratorlocals(g))
print(inspect.iscoroutinefunction(co), inspect.isgeneratorfunction(gen), inspect.isbuiltin(len), inspect.getmro(bool), inspect.unwrap(gen) is gen)
b = inspect.signature(lambda a, *, k=1: 0).bind(5)
b.apply_defaults()
print(b.arguments, inspect.cleandoc("  a\n    b"), inspect.ismodule(inspect), [n for n, _ in inspect.getmembers(5, inspect.isbuiltin)][:3])
inspect.signature(5)
