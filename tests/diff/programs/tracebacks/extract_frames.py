import sys
import traceback


def f():
    return traceback.extract_stack()


def g():
    return f()


for fs in g():
    print(fs.filename, fs.lineno, fs.name, fs.line)
print([fr.f_code.co_name for fr, _ in traceback.walk_stack(sys._getframe())])
