#!/usr/bin/env python3
"""last.c against the interpreter's own parser: where it says that there is no value, the last statement is none that could
have one. On every file of the standard library, on the programs of the differential tests, and on all of them cut short.

    test_last_python.py TOOL
"""
import ast
import glob
import os
import random
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
CUTS = 12  # of each file
FILES_MAX = 700

warnings.simplefilter("ignore")

WRITTEN = [
    "", "\n", "# only\n", "5", "x", "x;", "x = 1", "x = 1; x", "x; y = 2", "import os; 6", "import os", "if x: 5", "if x:\n    5",
    "print(1)", "print(1);", "print(1) # end", "print(1)\n\n# end\n", "print(1), 2", "print(1) or 2", "print(1)(2)", "print[0](1)",
    "print.x(1)", "print", "(print)(1)", "print = f\nprint(1)", "def print(): return 5\nprint()", "class print: pass\nprint()",
    "for print in (f,): pass\nprint(1)", "from m import *\nprint(1)", "from m import (print)\nprint(1)", "import m as print\nprint(1)",
    "exec('print = f')\nprint(1)", "globals()['print'] = f\nprint(1)", "import builtins\nbuiltins.print = f\nprint(1)",
    "lambda x=1: x", "f = lambda x=1: x", "x == 1", "x != 1", "x <= 1", "x >= 1", "x << 1", "x <<= 1", "x >>= 1", "x += 1", "x: int",
    "x: int = 5", "(x := 5)", "x[a == b]", "f(a=1)", "f(a=1).b = 2", "*a, b = c", "'''x'''", "'''x\n= 5'''", "'a' 'b'", "'=' ; 5",
    "f'{x=}'", "f'{x!r:>{w}}'", "f'{{=}}'", 'f"{d["a"]}"', 'f"}}{a:{b["x"]}}"\nprint(1)', 'f"{d["a = 1"]}"', "rb'\\''", "r'\\'; x = 1'",
    "x = '''\n'''; 5", "x = (\n1\n)", "(\nx\n)", "x \\\n= 5", "x = \\\n5", "\\\n5", "\\\n  5", "5 \\\n", "x = 1 \\\n; 5", "if 1: x; 5",
    "while 0: pass\nelse: 5", "try: x\nfinally: y", "with a: b", "async def f(): pass", "await f()", "@d\ndef f(): pass", "match = 5",
    "match x:\n case 1: 5", "match(x)", "type X = int", "type(x)", "class A: x = 5", "def f(): return 5\nf()", "return", "pass", "pass; 5",
    "5\npass", "del x", "assert x", "raise", "raise X", "global x", "x\r\ny = 1\r\n", "x = 1\ry", "\ufeffprint(1)", "\ufeff5", "é = 1",
    "é", "print('é')", "print('''a\nb''')", "print(\n1,\n)\n", "print(f'{x}')", "print(f'{x!r}', end='')", "x = 1;;", "\x0c5", "x\n\x0c",
    "x = [\n# ]\n]", "x = {'a': 5}", "{'a': 5}", "[x for x in y if x == 1]", "x if y else z", "not x", "yield", "x, = 1,", "x = yield",
    "print(print)", "map(print, x)", "print(1) if x else 2", "print(*x)", "print(**x)", "  5", "if x:\n    print(1)\nelse:\n    2\n",
    "f\"{'}' + \"=\" + '{'}\"", r'rf"\{"="}"', r'rf"\{d["a=b"]}"', "f'{x:=^5}'", "f'{x:\">5}'", "f'{(lambda: 1)()}'", "f'{d[\"a\"]}'; 5",
    "print(f'{d[\"a\"]} {x!r:>{w}} {{}}')", "x = f'{a}={b}'", "f'{a}={b}'", "f'{a=}'", "f'''{\n'a'\n}'''", "f'\\N{DASH}'", "f'{x}}}'",
    "f\"{x['a']:{'=' * 3}}\"", "\uff50rint = lambda x: 5\nprint(1)", "import sys\nsys._getframe().f_globals['print'] = f\nprint(1)",
    "from unittest.mock import patch\npatch('builtins.print', f).start()\nprint(1)",
    "'unfinished", "'''unfinished", "(", ")", "x = (1", "print(1", "x = '\\\n'", "x = 1 # print = 5\nprint(x)", "def f(print): pass\nprint(1)",
]


# In which of the written ones print is something else
REBINDS = ("builtins", "exec(", "globals()", "_getframe", "= f\nprint", "def print", "class print", "for print", "import *", "as print",
           "(print)", "\uff50rint")


def may_have_value(code):
    """None: no program."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not body or not isinstance(body[-1], ast.Expr):
        return False
    value = body[-1].value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print":
        return code.decode() in WRITTEN and any(text in code.decode() for text in REBINDS)
    return True


def sources():
    files = sorted(glob.glob(os.path.join(sysconfig.get_path("stdlib"), "**", "*.py"), recursive=True))
    random.shuffle(files)
    for path in files[:FILES_MAX] + sorted(glob.glob(str(HERE / "../../tests/diff/programs/*/*.py"))):
        try:
            yield Path(path).read_text()
        except (OSError, UnicodeDecodeError):
            continue


def programs():
    yield from WRITTEN
    for text in sources():
        yield text
        lines = text.splitlines(keepends=True)[:150]
        for _ in range(CUTS):
            yield "".join(lines[: random.randrange(len(lines) + 1)])
            start = random.randrange(len(lines) + 1)
            yield "".join(lines[start: start + random.randrange(1, 5)])


def main():
    random.seed(int(os.environ.get("TEST_SEED", "1")))
    every = [p.encode() for p in programs() if "coding" not in "".join(p.splitlines()[:2])]
    data = b"".join(b"%d\n%b" % (len(p), p) for p in every)
    said = subprocess.run([sys.argv[1]], input=data, stdout=subprocess.PIPE, check=True).stdout
    assert len(said) == len(every), (len(said), len(every))
    wrong = found = without = 0
    for code, verdict in zip(every, said):
        value = may_have_value(code)
        without += value is False
        found += value is False and verdict == ord("n")
        if value and verdict == ord("n"):
            wrong += 1
            print("no value, it says, of:\n" + code[-300:].decode(errors="replace"))
    print(f"{len(every)} programs, {without} have no value, {found} of these are known to have none, {wrong} wrong")
    return 1 if wrong or found < without * 0.5 else 0


if __name__ == "__main__":
    sys.exit(main())
