"""The template, the keeper and the worker, without the supervisor: what src/wire/wire.h promises.

TEST_SERVER names the server; the template lies in the build directory beside it.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, os.pardir, "diff"))

import drive  # noqa: E402
from harness import find_interpreters  # noqa: E402

DIRECTORY = os.environ.get("TEST_TEMPLATE") or os.path.join(
    os.path.dirname(os.path.abspath(os.environ.get("TEST_SERVER", "build/python-runner-mcp"))), "src", "template"
)
POSIX = os.environ.get("TEST_SANDBOX") == "posix"
# A root's environment may keep interpreters where an ordinary user can't go: those are not found then.
INTERPRETERS = find_interpreters()


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def wait_for(look, seconds=10):
    found = []
    if not wait_until(lambda: found.append(look()) or found[-1], seconds):
        raise AssertionError("it does not come")
    return found[-1]


def stat_of(pid):
    """proc(5), /proc/PID/stat from the state on."""
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rpartition(")")[2].split()


def waiting_worker(keeper):
    """The keeper's child once it sleeps in recvmsg(2), else None."""
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and int(stat_of(name)[1]) == keeper:
                with open(f"/proc/{name}/syscall") as f:
                    return int(name) if f.read().split()[0] in RECVMSG else None
        except OSError:
            pass
    return None


def exit_code(result):
    return os.waitstatus_to_exitcode(result["status"])


FINALIZED = 8  # enum wire_page_flags
RECVMSG = ("47", "212")  # x86-64, arm64


class WithTemplate(unittest.TestCase):
    options = {}

    def setUp(self):
        self.template = drive.Template(DIRECTORY, INTERPRETERS[-1].executable, **self.options)

    def tearDown(self):
        text = self.template.close()
        self.assertEqual(text, "")

    def run_program(self, code, **more):
        result = self.template.run(code, **more)
        self.assertFalse(os.path.exists(result["run_dir"]), "the run directory is left")
        return result

    def start(self, code):
        """A worker whose program has printed its first line, and that line."""
        worker = self.template.spawn()
        worker.go(code)
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(worker.out, 1)
            self.assertTrue(byte, "the program ended before it printed a line")
            line += byte
        return worker, line.decode().rstrip("\n")


class EveryInterpreter(unittest.TestCase):
    limit_seconds = 300

    def each(self):
        self.assertTrue(INTERPRETERS)
        for interpreter in INTERPRETERS:
            with self.subTest(interpreter.name):
                template = drive.Template(DIRECTORY, interpreter.executable)
                try:
                    yield interpreter, template
                finally:
                    self.assertEqual(template.close(), "")

    def test_hello(self):
        for interpreter, template in self.each():
            self.assertEqual(template.hello["version"], interpreter.name)
            self.assertEqual(template.hello["executable"], interpreter.executable)
            self.assertEqual(template.hello["pid"], template.pid)
            self.assertEqual(template.hello["hexversion"] >> 8, int("%02x%02x%02x" % interpreter.version, 16))

    def test_output_value_and_exit(self):
        for _, template in self.each():
            result = template.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7\n")
            page = result["page"]
            self.assertEqual((result["stdout"], result["stderr"]), (b"out\n", b"err\n"))
            self.assertEqual((page["started"], page["ended"], page["exit_code"]), (1, 1, 0))
            self.assertEqual((page["flags"], page["head"], page["tail"]), (1, b"42", b""))
            self.assertEqual((result["status"], result["flags"], result["stage"]), (0, 0, 0))

    def test_no_frame_above(self):
        code = "import sys\n[sys._getframe().f_back, len(sys._current_frames()), sys.argv, sorted(n for n in globals())]"
        for interpreter, template in self.each():
            told = template.run(code)["page"]["head"].decode()
            self.assertTrue(told.startswith("[None, 1, ['main.py'], ["), told)
            self.assertNotIn("runner", told)

    def test_callbacks_from_c(self):
        code = (
            "import ctypes, sqlite3\n"
            "order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)\n"
            "def compare(a, b):\n"
            "    a, b = (ctypes.cast(x, ctypes.POINTER(ctypes.c_int))[0] for x in (a, b))\n"
            "    return (a > b) - (a < b)\n"
            "seen = []\n"
            "for library in ctypes.CDLL(None), ctypes.PyDLL(None):\n"
            "    numbers = (ctypes.c_int * 5)(5, 3, 1, 4, 2)\n"
            "    library.qsort(numbers, 5, 4, order(compare))\n"
            "    seen += numbers\n"
            "db = sqlite3.connect(':memory:')\n"
            "db.create_function('f', 1, lambda x: x + 1)\n"
            "seen + [db.execute('select f(41)').fetchone()[0]]\n"
        )
        for _, template in self.each():
            result = template.run(code)
            if b"No module named" in result["stderr"]:
                continue  # an interpreter built without them
            self.assertEqual(result["page"]["head"], b"[1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 42]", result["stderr"])

    def test_await_at_the_top(self):
        code = "import asyncio\nx = await asyncio.sleep(0, 5)\nasync def f(): 1 / 0\nprint('x' in globals())\nawait f()\n"
        for _, template in self.each():
            result = template.run(code)
            self.assertEqual(result["stdout"], b"True\n")
            files = re.findall(r'File "(.*?)", line (\d+)', result["stderr"].decode())
            self.assertEqual([(os.path.basename(f), n) for f, n in files], [("main.py", "5"), ("main.py", "3")])

    def test_threads_within_the_address_space(self):
        code = (
            "import threading\n"
            "go = threading.Event()\n"
            "threads = [threading.Thread(target=go.wait) for _ in range(31)]\n"
            "for t in threads: t.start()\n"
            "print(threading.active_count())\n"
            "go.set()\n"
        )
        for _, template in self.each():
            result = template.run(code)
            self.assertEqual((result["stdout"], result["stderr"]), (b"32\n", b""))

    def test_many_workers_cost_the_template_nothing(self):
        for _, template in self.each():
            def state():
                with open(f"/proc/{template.pid}/statm") as f:
                    pages = int(f.read().split()[0])
                return pages, len(os.listdir(f"/proc/{template.pid}/fd"))

            for _ in range(3):
                template.run("pass")
            before = state()
            for _ in range(30):
                template.run("pass")
            self.assertEqual(state(), before)


class TheValue(WithTemplate):
    def value(self, code):
        page = self.run_program(code)["page"]
        return page["head"] + page["tail"] if page["flags"] & 1 else None

    def test_none_is_no_value(self):
        self.assertIsNone(self.value("None"))
        self.assertIsNone(self.value("x = 5"))
        self.assertIsNone(self.value(""))
        self.assertIsNone(self.value("5\nraise SystemExit"))

    def test_docstring(self):
        self.assertEqual(self.value("'only this'"), b"'only this'")
        self.assertEqual(self.value("'first'\n'second', __doc__"), b"('second', 'first')")

    def test_head_and_tail(self):
        text = "\u20ac" * 30000
        page = self.run_program(f"{text!r}")["page"]
        whole = repr(text).encode()
        self.assertEqual((page["result_bytes"], page["result_chars"]), (len(whole), 30002))
        self.assertTrue(whole.startswith(page["head"]) and whole.endswith(page["tail"]))
        page["head"].decode(), page["tail"].decode()
        self.assertGreater(len(page["head"]) + len(page["tail"]), self.template.result_max - 8)
        self.assertLessEqual(len(page["head"]) + len(page["tail"]), self.template.result_max)

    def test_exactly_full(self):
        for n in -1, 0, 1:
            length = self.template.result_max - 2 + n
            page = self.run_program(f"'a' * {length}")["page"]
            whole = b"'" + b"a" * length + b"'"
            self.assertEqual(page["result_bytes"], len(whole))
            if n <= 0:
                self.assertEqual((page["head"], page["tail"]), (whole, b""))
            else:
                self.assertEqual(len(page["head"] + page["tail"]), self.template.result_max)

    def test_lone_surrogates(self):
        code = "class A:\n    def __repr__(self): return '\\udc80'\nA()"
        self.assertEqual(self.value(code), b"\\udc80")

    def test_repr_raises(self):
        code = "class A:\n    def __repr__(self): raise %s\nA()"
        self.assertEqual(self.value(code % "KeyError('x')"), b"<repr() of a A object raised KeyError: 'x'>")
        self.assertEqual(self.value(code % "SystemExit"), b"<repr() of a A object raised SystemExit>")

    def test_forked_child_does_not_write_it(self):
        code = "import os\nif os.fork() == 0:\n    x = 'child'\nelse:\n    os.wait()\n    x = 'parent'\nx"
        self.assertEqual(self.value(code), b"'parent'")


class Rehearsal(unittest.TestCase):
    """The worker has run a program before the program comes."""

    TRACES = """
import gc, os, sys
names = sorted(c.__module__ + "." + c.__qualname__ for c in object.__subclasses__())
print(names, sorted(sys.modules), sorted(vars(sys)), sorted(vars(__builtins__)), sorted(globals()))
print(sorted(os.listdir("/proc/self/fd")), os.listdir("."), len(sys.path_importer_cache), len(sys.warnoptions))
print(gc.get_count()[2], gc.garbage, [o for o in gc.get_objects() if isinstance(o, dict) and "square" in o])
print(sys.stdout.line_buffering, sys.stdout.encoding, sys.stdout.closed, sys.exc_info(), sys.stdout.fileno())
"""
    FAULTS = """
with open("/proc/self/stat") as f:
    print(f.read().rsplit(")", 1)[1].split()[7])
"""

    def run_both(self, code):
        """[(result, faults while it waited)], rehearsed and not."""
        results = []
        for rehearse in (True, False):
            t = drive.Template(DIRECTORY, INTERPRETERS[-1].executable, rehearse=rehearse)
            try:
                w = t.spawn()
                worker = wait_for(lambda: waiting_worker(w.keeper))
                faults = int(stat_of(worker)[7])
                w.go(code)
                results.append((w.finish(), faults))
            finally:
                t.close()
        return results

    def test_leaves_no_trace(self):
        (rehearsed, _), (plain, _) = self.run_both(self.TRACES)
        self.assertEqual(rehearsed["stdout"].decode(), plain["stdout"].decode())
        self.assertEqual(rehearsed["stderr"], b"")

    def test_prints_nothing_and_has_no_value(self):
        for code in ("", "x = 1"):
            result, _ = self.run_both(code)[0]
            self.assertEqual((result["stdout"], result["stderr"], result["page"]["flags"]), (b"", b"", 0))
            self.assertEqual(bytes(result["page"]["head"]), b"")

    def test_the_pages_are_the_workers_own(self):
        rehearsed, plain = (int(result["stdout"]) - faults for result, faults in self.run_both(self.FAULTS))
        self.assertLess(rehearsed * 2, plain)


class TheEnd(WithTemplate):
    def ends(self, code, status, ended=1, flags=0):
        result = self.run_program(code)
        told = result["page"]["flags"] & ~FINALIZED
        self.assertEqual((exit_code(result), result["page"]["ended"], told), (status, ended, flags), result)
        if ended:
            self.assertEqual(result["page"]["exit_code"], status)
        return result

    def test_ways_to_end(self):
        self.ends("exit(3)", 3)
        self.ends("raise SystemExit('why')", 1)
        self.ends("1 / 0", 1)
        self.ends("raise MemoryError", 1, flags=2)
        self.ends("f(", 1, flags=4)
        self.ends("exec('f(')", 1)
        self.ends("import ctypes\nctypes.CDLL(None).exit(7)", 7)
        self.ends("import os\nos._exit(4)", 4, ended=0)
        self.ends("import os\nos.abort()", -signal.SIGABRT, ended=0)
        self.ends("raise KeyboardInterrupt", -signal.SIGINT, ended=0)
        self.ends("import os\nos.execv('/bin/true', ['true'])", 0, ended=0)

    def test_finalisation_is_left_out_where_nobody_notices(self):
        for code in ("", "print(1)", "exit(3)", "raise SystemExit", "1 / 0", "f(", "x = [[i] for i in range(50000)]",
                     "import json, re, dataclasses, enum", "class A:\n    pass\na = A()\na.a = a", "import threading",
                     "import io\nf = io.StringIO()", "open('x', 'w').close()", "g = (x for x in ())\nlist(g)",
                     "import weakref\nclass A: pass\na = A()\nd = weakref.WeakValueDictionary(a=a)"):
            self.assertEqual(self.run_program(code)["page"]["flags"] & FINALIZED, 0, code)
        for code in ("class A:\n    def __del__(self): pass\na = A()", "f = open('x', 'w')", "g = (x for x in [1])\nnext(g)",
                     "import atexit\natexit.register(print)", "import sys\nsys.stdout = sys.__stderr__", "exit('words')",
                     "import weakref\nclass A: pass\na = A()\nr = weakref.ref(a, lambda r: None)", "import gc\ngc.set_debug(1)",
                     "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
                     "import sys\nsys.addaudithook(lambda *a: None)", "import ctypes", "import warnings\nwarnings.simplefilter('always')"):
            self.assertEqual(self.run_program(code)["page"]["flags"] & FINALIZED, FINALIZED, code)

    def test_usage(self):
        page = self.ends("import time\nwhile time.process_time() < 0.3: pass\nx = bytearray(50 << 20)", 0)["page"]
        self.assertTrue(200_000 < page["cpu_us"] < 2_000_000, page)
        self.assertTrue(50 << 10 < page["rss_kb"] < 200 << 10, page)

    def test_forked_child_that_falls_off_the_end(self):
        result = self.ends("import os\nif os.fork():\n    print(os.wait()[1])", 0)
        self.assertEqual(result["stdout"], b"0\n")

    def test_output_of_the_last_moment(self):
        code = (
            "import atexit, ctypes, sys\n"
            "class D:\n    def __del__(self): print('del')\n"
            "keep = D()\n"
            "atexit.register(print, 'atexit')\n"
            "ctypes.CDLL(None).printf(b'c\\n')\n"
            "print('end', end='')\n"
        )
        self.assertEqual(sorted(self.ends(code, 0)["stdout"].split(b"\n")), [b"", b"c", b"del", b"endatexit"])

    def test_descriptors(self):
        result = self.ends("import os\nprint(sorted(os.listdir('/proc/self/fd')), os.path.realpath('/proc/self/fd/0'))", 0)
        self.assertEqual(result["stdout"], b"['0', '1', '2', '3'] /dev/null\n")  # 3: the listing itself

    def test_own_proc_is_readable(self):
        self.assertIn(b"HOME=", self.ends("print(open('/proc/self/environ').read())", 0)["stdout"])


class TheKeeper(WithTemplate):
    def ends_within(self, worker, seconds, status):
        before = time.monotonic()
        result = worker.finish()
        self.assertLess(time.monotonic() - before, seconds)
        self.assertEqual(exit_code(result), status)
        self.assertFalse(os.path.exists(worker.run_dir))
        return result

    def test_kill_before_go(self):
        worker = self.template.spawn()
        worker.kill()
        result = self.ends_within(worker, 5, -signal.SIGKILL)
        self.assertEqual(result["page"]["started"], 0)

    def test_go_socket_closed(self):
        worker = self.template.spawn()
        worker.go_sock.close()
        self.assertEqual(self.ends_within(worker, 5, 0)["page"]["started"], 0)

    def test_a_worker_that_can_not_say_that_it_starts_the_program_does_not(self):
        """The supervisor would give it to another one."""
        worker = self.template.spawn()
        worker.go_sock.shutdown(socket.SHUT_RD)
        worker.go("print('started')")
        result = self.ends_within(worker, 5, 125)
        self.assertEqual((result["stdout"], result["page"]["started"]), (b"", 0))

    def test_kill_and_what_was_printed(self):
        code = "import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))\nprint('so far')\nprint(1)\ntime.sleep(99)"
        worker, line = self.start(code)
        self.assertEqual(line, "so far")
        worker.kill()
        self.ends_within(worker, 5, -signal.SIGKILL)

    def test_supervisor_gone(self):
        code = "import os, time\nprint(os.getpid())\ntime.sleep(99)"
        first, pid_1 = self.start(code)
        second, pid_2 = self.start(code)
        for worker in first, second:
            worker.control.close()
        gone = lambda: not any(os.path.exists(w.run_dir) for w in (first, second))
        self.assertTrue(wait_until(gone), "a run directory is left")
        self.assertEqual(os.listdir(self.template.base), [])
        self.assertFalse(alive(pid_1) or alive(pid_2) or alive(first.keeper) or alive(second.keeper))

    if not POSIX:  # nothing finds them there

        def test_daemons_are_swept(self):
            code = (
                "import os, time\n"
                "def daemon():\n"
                "    if os.fork() == 0:\n"
                "        os.setsid()\n"
                "        if os.fork() == 0:\n"
                "            os.setsid()\n"
                "            print(os.getpid())\n"
                "            os.execv('/bin/sleep', ['sleep', '99'])\n"
                "        os._exit(0)\n"
                "for i in range(5): daemon()\n"
                "time.sleep(0.3)\n"
            )
            result = self.run_program(code)
            pids = result["stdout"].split()
            self.assertEqual(len(pids), 5)
            self.assertEqual([p for p in pids if alive(int(p))], [])

    if not POSIX:  # nothing finds them there

        def test_forks_without_end_are_swept(self):
            code = (
                "import os\n"
                "if os.fork() == 0:\n"
                "    while True:\n"
                "        os.setsid() if os.getpgrp() != os.getpid() else 0\n"
                "        if os.fork(): os._exit(0)\n"  # a chain: one lives at a time, each in a session of its own
                "print('end')\n"
            )
            self.assertEqual(self.run_program(code)["stdout"], b"end\n")

    def test_stopped_processes_are_swept(self):
        code = "import os, signal, time\nif os.fork() == 0:\n    print(os.getpid())\n    os.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(.2)"
        result = self.run_program(code)
        self.assertTrue(wait_until(lambda: not alive(int(result["stdout"])), 1))

    def test_exit_is_reported_before_the_sweep(self):
        code = "import os, time\nif os.fork() == 0:\n    time.sleep(99)\nos._exit(5)"
        self.assertEqual(exit_code(self.run_program(code)), 5)

    def test_directory_that_resists(self):
        code = (
            "import os\n"
            "os.mkdir('a'); os.mkdir('a/b'); open('a/b/f', 'w'); os.symlink('/', 'a/l'); os.mkfifo('p')\n"
            "os.chmod('a/b', 0); os.chmod('a', 0)\n"
            "for i in range(300): os.mkdir('d'); os.chdir('d')\n"
            "os.chmod(os.environ['HOME'], 0); os.chmod(os.environ['TMPDIR'], 0)\n"
        )
        self.assertEqual(exit_code(self.run_program(code)), 0)

    def test_run_directory_exists(self):
        path = os.path.join(self.template.base, "taken")
        os.mkdir(path)
        worker = self.template.spawn(path)
        worker.t0 = time.monotonic()
        result = worker.finish()
        self.assertEqual((result["stage"], result["error"]), (1, 17))
        self.assertEqual(result["page"]["started"], 0)

    def test_programs_outlive_their_template(self):
        worker, _ = self.start("import sys, time\nprint('up')\ntime.sleep(0.5)\nprint('still here')")
        os.kill(self.template.pid, signal.SIGKILL)
        result = worker.finish()
        self.assertEqual((result["stdout"], exit_code(result)), (b"still here\n", 0))

    if not POSIX:  # the supervisor has to find it there

        def test_program_dies_with_its_keeper(self):
            worker, pid = self.start("import os, time\nprint(os.getpid())\ntime.sleep(99)")
            os.kill(worker.keeper, signal.SIGKILL)
            self.assertTrue(wait_until(lambda: not alive(pid)))
            self.assertIsNone(worker.finish()["status"])


class Limits(WithTemplate):
    alone = True
    options = {"cpu_s": 0.5, "memory_mb": 128, "file_mb": 1}

    def over_cpu(self, code):
        result = self.run_program(code)
        self.assertEqual((exit_code(result), result["flags"]), (-signal.SIGKILL, 1), result)
        self.assertGreaterEqual(result["cpu_us"], 500000)
        self.assertLess(result["cpu_us"], 1000000)

    def test_cpu(self):
        self.over_cpu("while True: pass")

    def test_cpu_of_ignored_signals(self):
        self.over_cpu("import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass")

    def test_cpu_of_threads(self):
        self.over_cpu(
            "import hashlib, threading\n"
            "def burn():\n    while True: hashlib.sha256(bytes(1000000))\n"
            "for i in range(3): threading.Thread(target=burn).start()"
        )

    if not POSIX:  # for each process of its own there

        def test_cpu_of_the_sum(self):
            self.over_cpu("import os\nfor i in range(3): os.fork()\nwhile True: pass")
            self.over_cpu(
                "import os, time\n"
                "while True:\n"
                "    if os.fork() == 0:\n"
                "        while time.process_time() < 0.05: pass\n"
                "        os._exit(0)\n"
                "    os.wait()"
            )

    def test_waiting_costs_nothing(self):
        result = self.run_program("import time\ntime.sleep(1)")
        self.assertEqual((exit_code(result), result["flags"]), (0, 0))

    def test_memory(self):
        result = self.run_program("x = bytearray(200 << 20)")
        self.assertEqual((exit_code(result), result["page"]["flags"]), (1, 2))
        self.assertIn(b"MemoryError", result["stderr"])

    def test_memory_for_the_value(self):
        result = self.run_program("'\\u20ac' * (30 << 20)")
        self.assertEqual(result["page"]["head"], b"<repr() of a str object raised MemoryError>")

    def test_file_size(self):
        result = self.run_program("open('f', 'wb').write(bytes(2 << 20))")
        self.assertEqual(exit_code(result), 1)
        self.assertIn(b"File too large", result["stderr"])

    def test_program_larger_than_a_file_may_be(self):
        result = self.run_program("# a comment\n" * 100000 + "x = 1")
        self.assertEqual(exit_code(result), 0, result["stderr"])

    def test_core(self):
        result = self.run_program("import resource\nresource.getrlimit(resource.RLIMIT_CORE)")
        self.assertEqual(result["page"]["head"], b"(0, 0)")


class StandardInput(WithTemplate):
    code = "import sys\n(sys.stdin.seekable(), sys.stdin.read())"

    def test_none(self):
        self.assertEqual(self.run_program(self.code)["page"]["head"], b"(True, '')")

    def test_bytes(self):
        result = self.run_program(self.code, stdin=b"a\r\nb\xff")
        self.assertEqual(result["page"]["head"], b"(True, 'a\\r\\nb\\udcff')")

    def test_pipe(self):
        r, w = os.pipe()
        os.write(w, b"x\n")
        os.close(w)
        self.assertEqual(self.run_program(self.code, stdin_fd=r)["page"]["head"], b"(False, 'x\\n')")
        os.close(r)


class Refusals(unittest.TestCase):
    """An interpreter that can't be used says so before the extension is loaded."""

    def refuse(self, patch, word):
        with open(os.path.join(DIRECTORY, "main.py")) as f:
            source = f.read()
        done = subprocess.run(
            [INTERPRETERS[-1].executable, "-I", "-S", "-c", f"import sys\n{patch}\n__file__ = '/nowhere/main.py'\nexec({source!r})"],
            capture_output=True, text=True,
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        self.assertIn(word, done.stderr)
        self.assertIn(INTERPRETERS[-1].executable, done.stderr)

    def test_by_name(self):
        self.refuse("sys.implementation.name = 'graalpy'", "graalpy")
        self.refuse("sys.builtin_module_names += ('__pypy__',)", "pypy")
        self.refuse("sys.version_info = (3, 8, 18)", "3.8.18")
        self.refuse("sys.abiflags = 't'", "free-threaded")
        self.refuse("sys._is_gil_enabled = lambda: False", "free-threaded")
        self.refuse("sys.getobjects = None", "Py_TRACE_REFS")

    def test_extension_missing(self):
        done = subprocess.run(
            [INTERPRETERS[-1].executable, "-I", "-S", "-c", "__file__ = '/nowhere/main.py'\n" + open(os.path.join(DIRECTORY, "main.py")).read()],
            capture_output=True, text=True,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/_python_runner.abi3.so", done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
