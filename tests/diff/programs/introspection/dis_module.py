import dis
import io


def f(x):
    return [i + 1 for i in x if i]


dis.dis(f)
print(dis.code_info(f).splitlines()[0], [i.opname for i in dis.Bytecode(lambda: 5)], dis.findlabels(f.__code__.co_code)[:1])
dis.dis("a = b + 1")
