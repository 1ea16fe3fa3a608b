#!/usr/bin/env python3
"""What the runner does differently from `python3 -I -S main.py`, on purpose, and what it must not
let a program see of itself: tested through the real server on every CPython of this machine."""

import argparse
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

from harness import Server, ServerGone, find_interpreters, outcome, text_of

ROOT = Path(__file__).resolve().parent.parent.parent


class Run:
    """One call and what it left."""

    def __init__(self, server, code, **arguments):
        self.result = server.run(code, **arguments)
        self.outcome = outcome(self.result)
        self.text = text_of(self.result)
        structured = self.result.get("structuredContent") or {}
        self.stdout = structured.get("stdout") or ""
        self.stderr = structured.get("stderr") or ""
        self.value = structured.get("result")
        self.code = self.outcome["exit_code"]
        self.status = self.outcome["status"]

    def json(self):
        self.succeeds()
        return json.loads(self.stdout)

    def succeeds(self):
        same((self.status, self.code, self.stderr), ("exited", 0, ""))
        return self

    def shows(self, value):
        """The last expression's value, in the data and in the text."""
        same(self.value, value)
        has(self.text, "--- result ---\n" + value)
        return self

    def shows_nothing(self):
        assert self.value in (None, ""), f"a value is shown: {self.value!r}"
        lacks(self.text, "--- result ---")
        return self


def same(got, expected):
    assert got == expected, f"expected {expected!r}, got {got!r}"


def has(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def lacks(text, part):
    assert part not in text, f"{part!r} is in {text!r}"


TESTS = []


def test(function):
    TESTS.append(function)
    return function


# exit and quit


@test
def exit_and_quit_exist(run):
    same(run("exit(3)").code, 3)
    same(run("quit()").code, 0)
    r = run("print(exit, '|', repr(quit))\nexit('a text')")
    same((r.code, r.stderr), (1, "a text\n"))
    same(r.stdout, "Use exit() or Ctrl-D (i.e. EOF) to exit | Use quit() or Ctrl-D (i.e. EOF) to exit\n")


@test
def exit_leaves_like_sys_exit(run):
    r = run("import atexit\natexit.register(print, 'atexit')\ntry:\n    exit(5)\nfinally:\n    print('finally')")
    same((r.code, r.stdout, r.stderr), (5, "finally\natexit\n", ""))
    r = run("try:\n    quit(7)\nexcept SystemExit as e:\n    print('caught', e.code)").succeeds()
    same(r.stdout, "caught 7\n")


@test
def exit_has_no_foreign_frame(run):
    code = "import traceback\ntry:\n    exit(1)\nexcept SystemExit as e:\n    print(len(traceback.extract_tb(e.__traceback__)))"
    same(run(code).succeeds().stdout, "1\n")


@test
def other_names_of_site_stay_away(run):
    code = "import builtins, sys\nprint([n for n in ('help', 'copyright', 'credits', 'license') if hasattr(builtins, n)], 'site' in sys.modules)"
    same(run(code).succeeds().stdout, "[] False\n")


# await at the top level


@test
def await_at_top_level(run):
    r = run("import asyncio\nx = await asyncio.sleep(0, 'slept')\nprint(x)").succeeds()
    same(r.stdout, "slept\n")


@test
def await_keeps_names_global(run):
    code = """
import asyncio
count = 1
await asyncio.sleep(0)
def f():
    global count
    count += 1
    return later
later = await asyncio.sleep(0, 40)
class C:
    x = later
print(f(), count, 'later' in globals(), globals() is locals(), __name__, C.__module__, C.x, C.__qualname__, f.__qualname__)
async with asyncio.Lock() as nothing:
    inside = 5
print(inside)
"""
    same(run(code).succeeds().stdout, "40 2 True True __main__ __main__ 40 C f\n5\n")


@test
def async_for_and_comprehension(run):
    code = """
async def numbers():
    for i in range(3):
        yield i
async for n in numbers():
    print(n)
[n * 2 async for n in numbers()]
"""
    same(run(code).succeeds().shows("[0, 2, 4]").stdout, "0\n1\n2\n")


@test
def await_gives_last_value(run):
    run("import asyncio\nawait asyncio.sleep(0, [1, 2])").succeeds().shows("[1, 2]")
    run("import asyncio\nawait asyncio.sleep(0)").succeeds().shows_nothing()


@test
def await_traceback_is_the_programs(run):
    code = """import asyncio
async def inner():
    await asyncio.sleep(0)
    raise LookupError("deep")
await inner()
"""
    r = run(code)
    same(r.code, 1)
    files = [line for line in r.stderr.splitlines() if line.lstrip().startswith("File ")]
    same(len(files), 2)
    for line, (number, name) in zip(files, ((5, "<module>"), (4, "inner"))):
        has(line, f'main.py", line {number}, in {name}')
    assert r.stderr.startswith("Traceback (most recent call last):\n"), r.stderr
    assert r.stderr.endswith("LookupError: deep\n"), r.stderr
    has(r.stderr, "    await inner()\n")


@test
def await_and_exit(run):
    same(run("import asyncio, sys\nawait asyncio.sleep(0)\nsys.exit(9)").code, 9)
    r = run("import asyncio\nawait asyncio.sleep(0)\nraise KeyboardInterrupt")
    same((r.status, r.code), ("signaled", -2))


@test
def await_runs_in_one_loop(run):
    code = """
import asyncio
queue = asyncio.Queue()
async def producer():
    for i in range(3):
        await queue.put(i)
task = asyncio.create_task(producer())
await task
print([queue.get_nowait() for _ in range(3)], asyncio.get_running_loop().is_running())
"""
    same(run(code).succeeds().stdout, "[0, 1, 2] True\n")


@test
def await_needs_no_asyncio_without_it(run):
    code = "import sys\nprint('asyncio' in sys.modules)\nasync def f(): await g()\n"
    same(run(code).succeeds().stdout, "False\n")


@test
def await_in_a_plain_function_stays_an_error(run):
    r = run("def f():\n    await g()\n")
    same(r.code, 1)
    has(r.stderr, "SyntaxError: 'await' outside async function")


# The last value


@test
def last_value(run):
    run("1 + 1").succeeds().shows("2")
    run("x = [1]\nx.append('zwei')\nx").succeeds().shows("[1, 'zwei']")
    run("'text'.upper()").succeeds().shows("'TEXT'")
    run("(\n  3 *\n  4\n)  # a comment\n\n").succeeds().shows("12")
    run("a = 1; a + 1;").succeeds().shows("2")
    run("lambda: 0\nNone or False").succeeds().shows("False")
    run("(y := 5)").succeeds().shows("5")
    run("class V:\n    def __repr__(self): return 'mine'\nV()").succeeds().shows("mine")


@test
def last_value_is_no_output(run):
    r = run("print('printed')\n40 + 2").succeeds().shows("42")
    same(r.stdout, "printed\n")
    r = run("import atexit\natexit.register(print, 'late')\n'value'").succeeds().shows("'value'")
    same(r.stdout, "late\n")


@test
def no_last_value(run):
    for code in ("None", "print('x')", "x = 5", "if True:\n    5", "5\npass", "for i in [1]:\n    i", "def f(): 5", "", "# 5", "[].append(1)", "del [5][0]"):
        run(code).shows_nothing()


@test
def no_last_value_after_an_exception(run):
    for code, exit_code in (("1 / 0", 1), ("5\n1 / 0", 1), ("import sys\nsys.exit(3)", 3), ("5 if exit(4) else 6", 4), ("x = = 1\n5", 1)):
        same(run(code).shows_nothing().code, exit_code)


@test
def last_value_of_a_failing_end(run):
    r = run("import atexit\ndef f(): raise ValueError\natexit.register(f)\n7")
    same((r.code, r.value), (0, "7"))
    r = run("import threading\nthreading.Thread(target=lambda: 1/0).start()\n8")
    same((r.code, r.value), (0, "8"))


@test
def repr_that_fails(run):
    r = run("class V:\n    def __repr__(self): raise ValueError('no repr')\nV()")
    assert r.status == "exited", r.text
    has(r.text + r.stderr, "no repr")
    r = run("class V:\n    def __repr__(self): return 5\nprint('before')\nV()")
    has(r.stdout, "before")


@test
def repr_that_ends_the_program(run):
    same(run("import os\nclass V:\n    def __repr__(self): os._exit(6)\nV()").code, 6)
    same(run("import sys\nclass V:\n    def __repr__(self): sys.exit(8)\nV()").status, "exited")


@test
def huge_last_value(run):
    r = run("'x' * 5_000_000").succeeds()
    assert r.outcome["result"]["truncated"], r.outcome
    assert len(r.value) < 2_100_000
    has(r.text, "characters omitted")
    r = run("x = []\nx.append(x)\nx").succeeds().shows("[[...]]")


@test
def odd_last_values(run):
    run("'ü\\u20ac\\U0001f40d'").succeeds().shows("'ü€\U0001f40d'")
    run("x = '\\ud800'\nx").succeeds().shows("'\\ud800'")
    run("b'\\xff'").succeeds().shows("b'\\xff'")
    run("...").succeeds().shows("Ellipsis")
    run("NotImplemented").succeeds().shows("NotImplemented")


@test
def last_value_leaves_no_trace(run):
    code = """
import atexit, builtins
atexit.register(lambda: print(sorted(k for k in globals() if not k.startswith('__')), hasattr(builtins, '_')))
7
"""
    same(run(code).succeeds().shows("7").stdout, "['atexit', 'builtins'] False\n")


@test
def last_value_dies_before_atexit(run):
    code = """
import atexit
class Loud:
    def __repr__(self): return 'loud'
    def __del__(self): print('del')
atexit.register(print, 'atexit')
Loud()
"""
    same(run(code).succeeds().shows("loud").stdout, "del\natexit\n")


@test
def docstring_only(run):
    run("'just a string'").succeeds().shows("'just a string'")
    run('"""many\nlines"""').succeeds().shows("'many\\nlines'")
    r = run("'a docstring'\nprint(__doc__)").succeeds().shows_nothing()
    same(r.stdout, "a docstring\n")


# Markdown fences


@test
def fences_are_taken_off(run):
    for code in ("```python\nprint(6 * 7)\n```", "```\nprint(6 * 7)\n```\n", "\n```py\nprint(6 * 7)\n```\n\n", "```python3\r\nprint(6 * 7)\r\n```", "~~~python\nprint(6 * 7)\n~~~"):
        same(run(code).succeeds().stdout, "42\n")


@test
def fences_inside_stay(run):
    same(run("print('''\n```\ntext\n```\n''')").succeeds().stdout, "\n```\ntext\n```\n\n")
    # Two blocks are no program: nobody can tell which of them is meant.
    has(run("```python\nprint(1)\n```\nand\n```python\nprint(2)\n```").stderr, "SyntaxError")


# Lines of stdout


@test
def stdout_is_line_buffered(run):
    code = "import sys\nprint(sys.stdout.line_buffering, sys.stderr.line_buffering)"
    same(run(code).succeeds().stdout, "True True\n")


@test
def output_so_far_at_a_timeout(run):
    r = run("import time\nprint('line one')\nprint('no end', end='')\ntime.sleep(30)", timeout=0.5)
    same((r.status, r.stdout, r.code), ("timeout", "line one\n", None))
    has(r.text, "--- timeout: killed after 0.5s | duration: ")
    r = run("print('then')\nwhile True: pass", timeout=0.3)
    same((r.status, r.stdout), ("timeout", "then\n"))


@test
def output_before_a_signal(run):
    r = run("import os\nprint('seen')\nos.kill(os.getpid(), 9)")
    same((r.status, r.stdout, r.code), ("signaled", "seen\n", -9))
    same(run("import os\nprint('seen')\nos._exit(0)").stdout, "seen\n")


# Runs differ


def two_runs_differ(run, expression, setup=""):
    a, b = (run(f"{setup}\nprint({expression})").succeeds().stdout for _ in range(2))
    assert a != b, f"{expression}: twice {a!r}"


@test
def runs_differ(run):
    two_runs_differ(run, "random.random()", "import random")
    two_runs_differ(run, "random.SystemRandom().random()", "import random")
    two_runs_differ(run, "uuid.uuid4()", "import uuid")
    two_runs_differ(run, "uuid.uuid1()", "import uuid")
    two_runs_differ(run, "ssl.RAND_bytes(16)", "import ssl")
    two_runs_differ(run, "secrets.token_hex()", "import secrets")
    two_runs_differ(run, "os.path.basename(tempfile.mkdtemp())", "import os, tempfile")
    two_runs_differ(run, "next(tempfile._get_candidate_names())", "import tempfile")
    two_runs_differ(run, "multiprocessing.current_process().authkey.hex()", "import multiprocessing")
    two_runs_differ(run, "email.utils.make_msgid()", "import email.utils")


@test
def seeds_hold(run):
    code = "import random\nrandom.seed(1)\nprint(random.random(), random.Random(5).random())"
    same(run(code).succeeds().stdout, run(code).succeeds().stdout)


# The directories


@test
def directories(run):
    code = """
import json, os, tempfile
here = os.getcwd()
print(json.dumps([here, os.environ['HOME'], os.environ['TMPDIR'], tempfile.gettempdir(), os.path.expanduser('~'),
                  __file__, os.listdir('.'), os.listdir(tempfile.gettempdir()), os.getuid()]))
open('x', 'w').close()
open(os.path.join(os.environ['TMPDIR'], 'y'), 'w').close()
"""
    first, second = run(code).json(), run(code).json()
    here, home, tmp, tempdir, tilde, file, listing, tmp_listing, _ = first
    same((home, tempdir, tilde, file), (here, tmp, here, here + "/main.py"))
    same(Path(tmp).parent, Path(here).parent)
    same((listing, tmp_listing), (["main.py"], []))
    same((second[6], second[7]), (["main.py"], []))  # nothing of the first run is left
    lacks(tmp, "..")


@test
def directories_are_private(run):
    code = "import os\nprint([oct(os.stat(d).st_mode & 0o7777) for d in ('.', os.environ['TMPDIR'])])"
    modes = run(code).succeeds().stdout
    for mode in json.loads(modes.replace("'", '"')):
        same(mode[-2:], "00")


@test
def directories_are_gone_afterwards(run):
    where = run("import os\nos.mkdir('d')\nopen('d/f', 'w').close()\nos.chmod('d', 0)\nprint(os.getcwd())").succeeds().stdout.strip()
    # The answer does not wait for the removal, which has a second.
    end = time.monotonic() + 1
    while Path(where).exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not Path(where).exists() or run.same_place(where), f"{where} is still there"


@test
def environment_is_ours(run):
    environ = run("import json, os\nprint(json.dumps(dict(os.environ)))").json()
    leaked = [k for k in environ if k.startswith(("RUNNER_", "DIFF_")) or k in ("OLDPWD", "USER", "SHELL", "LD_PRELOAD")]
    same(leaked, [])
    assert {"PATH", "HOME", "TMPDIR", "LANG"} <= set(environ), sorted(environ)
    shell = run("import os\nos.system('echo $HOME:$TMPDIR')").succeeds().stdout.strip()
    has(shell, "/")


# Nothing of the runner shows


@test
def no_frame_above(run):
    code = "import sys\nprint(sys._getframe().f_back, len(sys._current_frames()), sys._getframe().f_code.co_name)"
    same(run(code).succeeds().stdout, "None 1 <module>\n")


@test
def no_descriptor_left(run):
    code = """
import os
for fd in range(3, 4096):
    try:
        print(fd, os.fstat(fd), os.readlink(f'/proc/self/fd/{fd}'))
    except OSError:
        pass
"""
    same(run(code).succeeds().stdout, "")
    same(run(code, stdin="text\n").succeeds().stdout, "")


@test
def no_module_of_ours(run):
    code = """
import gc, json, sys
def ours(name):
    return isinstance(name, str) and ('runner' in name.lower() or 'keeper' in name.lower())
named = sorted(n for n in sys.modules if ours(n))
files = sorted(str(getattr(m, '__file__', '')) for m in sys.modules.values() if ours(str(getattr(m, '__file__', ''))) and m.__name__ != '__main__')
seen = set()
for o in gc.get_objects():
    if isinstance(o, type(sys)):
        seen.add(o.__name__)
    elif callable(o):
        seen.add(getattr(o, '__module__', None))
        owner = getattr(o, '__self__', None)
        if isinstance(owner, type(sys)):
            seen.add(owner.__name__)
    elif isinstance(o, dict) and isinstance(o.get('__name__'), str):
        seen.add(o['__name__'])
print(json.dumps([named, files, sorted(n for n in seen if ours(n))]))
"""
    same(run(code).json(), [[], [], []])


@test
def no_second_main(run):
    code = """
import gc, sys
mains = [o for o in gc.get_objects() if isinstance(o, type(sys)) and o.__name__ == '__main__']
dicts = [o for o in gc.get_objects() if isinstance(o, dict) and o.get('__name__') == '__main__']
print(len(mains), len(dicts), mains[0] is sys.modules['__main__'])
"""
    same(run(code).succeeds().stdout, "1 1 True\n")


@test
def no_code_of_ours(run):
    code = """
import gc, types
names = set()
for o in gc.get_objects():
    if isinstance(o, types.FunctionType):
        names.add(o.__code__.co_filename)
    elif isinstance(o, types.FrameType):
        names.add(o.f_code.co_filename)
print(sorted(n for n in names if n.endswith('main.py') and n != __file__ and '/python3' not in n))
"""
    same(run(code).succeeds().stdout, "[]\n")


@test
def no_argument_of_ours(run):
    code = """
import json, sys
print(json.dumps([sys.argv, getattr(sys, 'orig_argv', None), open('/proc/self/cmdline').read().split('\\0'), open('/proc/self/comm').read(), sys.executable]))
"""
    argv, orig_argv, cmdline, comm, executable = run(code).json()
    same(argv, ["main.py"])
    if orig_argv is not None:
        same(orig_argv[1:], ["-I", "-S", "main.py"])
    same(cmdline[1:], ["-I", "-S", "main.py", ""])
    lacks(comm, "runner")
    assert comm.startswith("python"), comm


@test
def no_thread_of_ours(run):
    code = "import os, threading\nprint(len(os.listdir('/proc/self/task')), threading.active_count())"
    same(run(code).succeeds().stdout, "1 1\n")


@test
def no_child_of_ours(run):
    code = "import os\ntry:\n    print(os.waitpid(-1, os.WNOHANG))\nexcept ChildProcessError:\n    print('none')"
    same(run(code).succeeds().stdout, "none\n")


@test
def tracebacks_are_the_programs(run):
    r = run("def f():\n    1 / 0\nf()")
    same(r.code, 1)
    same(sum(line.lstrip().startswith("File ") for line in r.stderr.splitlines()), 2)
    lacks(r.stderr, "runner.py")


# Each call by itself


@test
def nothing_stays_for_the_next(run):
    run("import builtins, sys, os, decimal\nbuiltins.leak = 1\nsys.leak = 1\nos.environ['LEAK'] = '1'\ndecimal.leak = 1\nsys.path.append('/leak')").succeeds()
    code = "import builtins, sys, os, decimal\nprint(hasattr(builtins, 'leak'), hasattr(sys, 'leak'), 'LEAK' in os.environ, hasattr(decimal, 'leak'), '/leak' in sys.path)"
    same(run(code).succeeds().stdout, "False False False False False\n")


@test
def bom_and_crlf(run):
    same(run("\ufeffprint('bom')").succeeds().stdout, "bom\n")
    same(run("x = 1\r\nif x:\r\n    print('crlf')\r\n").succeeds().stdout, "crlf\n")


class Caller:
    """The `run` of the tests."""

    def __init__(self, server):
        self.server = server
        self.places = set()

    def __call__(self, code, **arguments):
        return Run(self.server, code, **arguments)

    def same_place(self, where):
        """Whether every run sees the same path (a mount namespace of its own): then a path that
        exists outside is another directory."""
        a, b = (self("import os\nprint(os.getcwd())").stdout.strip() for _ in range(2))
        return a == b == where


def check(args, interpreter, temp):
    passed = failed = 0
    runs = Path(temp) / interpreter.name
    runs.mkdir()
    tests = [t for t in TESTS if not args.only or any(x in t.__name__ for x in args.only)]
    with Server(args.bin, interpreter.path, runs, Path(temp) / f"{interpreter.name}.log", RUNNER_MAX_OUTPUT_CHARS=1000000) as server:
        run = Caller(server)
        for one in tests:
            try:
                one(run)
                passed += 1
            except ServerGone as e:
                failed += 1
                print(f"FAIL {interpreter.name} {one.__name__}: {e}", flush=True)
                break
            except Exception as e:
                failed += 1
                line = traceback.extract_tb(e.__traceback__)
                where = [f.lineno for f in line if f.name == one.__name__]
                print(f"FAIL {interpreter.name} {one.__name__} (line {where[0] if where else '?'}): {type(e).__name__}: {str(e)[:600]}", flush=True)
    left = [p.name for p in runs.rglob("*")]
    if left:
        failed += 1
        print(f"FAIL {interpreter.name}: left behind after the server's end: {left[:10]}")
    return passed, failed


def main():
    p = argparse.ArgumentParser(description="Test the runner's intended differences.")
    p.add_argument("--bin", default=str(ROOT / "build/python-runner-mcp"))
    p.add_argument("--python", nargs="+", metavar="PATH", help="these interpreters only")
    p.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="tests whose name contains TEXT")
    args = p.parse_args()
    total_passed = total_failed = 0
    with tempfile.TemporaryDirectory(prefix="i-") as temp:
        for interpreter in find_interpreters(args.python):
            try:
                passed, failed = check(args, interpreter, temp)
            except ServerGone as e:
                passed, failed = 0, 1
                print(f"FAIL {interpreter.name}: {e}")
            print(f"CPython {interpreter.name}: {passed} passed, {failed} failed", flush=True)
            total_passed += passed
            total_failed += failed
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed or not total_passed else 0


if __name__ == "__main__":
    sys.exit(main())
