"""RUNNER_SITE_PACKAGES and RUNNER_PRELOAD: what programs see then, and what becomes of modules that can't be preloaded."""
import json
import os
import shutil
import signal
import subprocess
import tempfile

import mcp
import procs
from cases import ServerCase

TIERS = ("",) if mcp.POSIX else ("", "namespaces", "namespaces,landlock,seccomp")
SEEN = """
import json, os, sys
json.dump({"argv": sys.argv, "orig_argv": getattr(sys, "orig_argv", None), "flags": str(sys.flags), "path": sys.path, "prefix": sys.prefix,
           "exec_prefix": sys.exec_prefix, "executable": sys.executable, "cmdline": open("/proc/self/cmdline").read(),
           "site": "site" in sys.modules, "exit": [repr(exit), type(exit).__module__, str(quit)], "names": sorted(globals()),
           "builtins": sorted(vars(__import__("builtins"))), "modules": sorted(sys.modules)}, sys.stdout)
"""


class Environment(ServerCase):
    """A virtual environment whose site-packages hold modules of the test's own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="runner-venv-")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, True)
        subprocess.run([mcp.PYTHON, "-m", "venv", "--without-pip", self.folder], check=True)
        self.python = os.path.join(self.folder, "bin", "python3")
        self.site = subprocess.run([self.python, "-Ic", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                                   capture_output=True, text=True).stdout.strip()

    def module(self, name, code):
        with open(os.path.join(self.site, name + ".py"), "w") as f:
            f.write(code)

    def server(self, preload=None, **more):
        return self.client({"RUNNER_PYTHON": self.python, "RUNNER_SITE_PACKAGES": "true", "RUNNER_PRELOAD": preload, **more})

    def templates(self, c):
        return [p for p in procs.children(c.pid) if (procs.stat(p) or "Z")[0] != "Z" and procs.read(p, "comm") != b"runner-keeper\n"]


class SitePackages(Environment):
    def reference(self, *options):
        with tempfile.TemporaryDirectory() as d:
            with open(os.path.join(d, "main.py"), "w") as f:
                f.write(SEEN)
            p = subprocess.run([self.python, *options, "main.py"], cwd=d, capture_output=True, check=True, stdin=subprocess.DEVNULL,
                               env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": d})
            return json.loads(p.stdout)

    def assert_same(self, environment, *options):
        c = self.client({"RUNNER_PYTHON": self.python, **environment})
        seen, wanted = json.loads(c.run(SEEN).stdout), self.reference(*options)
        if "-S" in options:  # exit and quit are there all the same
            wanted["builtins"] = sorted({*wanted["builtins"], "exit", "quit"})
        self.assertEqual(seen, wanted)

    def test_as_under_python_I(self):
        self.assert_same({"RUNNER_SITE_PACKAGES": "true"}, "-I")

    def test_as_under_python_I_in_the_systems_interpreter(self):
        self.python = mcp.PYTHON
        self.assert_same({"RUNNER_SITE_PACKAGES": "true"}, "-I")

    def test_its_packages_are_there_under_every_tier(self):
        self.module("one", "VALUE = 41\n")
        for off in TIERS:
            with self.subTest(off):
                c = self.server(RUNNER_TEST_LAYERS_OFF=off or None)
                self.assertEqual(c.run("import one\nprint(one.VALUE + 1)").stdout, "42\n")

    def test_not_by_default(self):
        self.module("one", "VALUE = 41\n")
        o = self.client({"RUNNER_PYTHON": self.python}).run("import one")
        self.assertIn("No module named 'one'", o.stderr)

    def test_cold(self):
        self.module("one", "VALUE = 41\n")
        c = self.server("one", RUNNER_WARM_WORKERS="0")
        for _ in range(3):
            self.assertEqual(c.run("import sys; print('one' in sys.modules)").stdout, "True\n")

    def test_what_site_runs(self):
        """A sitecustomize that is a link to a place which programs do not see (Debian's is one, and comes first there), and a
        .pth file with code."""
        outside = tempfile.mkdtemp(prefix="runner-outside-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, outside)
        with open(os.path.join(outside, "sitecustomize.py"), "w") as f:
            f.write("import builtins\nbuiltins.customized = True\n")
        os.symlink(os.path.join(outside, "sitecustomize.py"), os.path.join(self.site, "sitecustomize.py"))
        plain = subprocess.run([self.python, "-Ic", "import builtins; print(hasattr(builtins, 'customized'))"], capture_output=True, text=True)
        with open(os.path.join(self.site, "code.pth"), "w") as f:
            f.write("import builtins; builtins.from_pth = True\n")
        o = self.server().run("import builtins, subprocess, sys\nprint(hasattr(builtins, 'customized'), from_pth)\n"
                              "subprocess.run([sys.executable, '-Ic', 'print(from_pth)'])")
        self.assertEqual((o.stdout, o.stderr), (plain.stdout.strip() + " True\nTrue\n", ""))

    if not mcp.POSIX:

        def test_a_path_file_that_leads_elsewhere(self):
            """It is on sys.path, as under python3 -I, and what lies there is not shown."""
            outside = tempfile.mkdtemp(prefix="runner-outside-", dir="/var/tmp")
            self.addCleanup(shutil.rmtree, outside)
            with open(os.path.join(outside, "elsewhere.py"), "w") as f:
                f.write("1\n")
            with open(os.path.join(self.site, "elsewhere.pth"), "w") as f:
                f.write(outside + "\n")
            c = self.server("elsewhere")
            c.wait_log("ERROR RUNNER_PRELOAD: elsewhere is not preloaded: ModuleNotFoundError")
            o = c.run(f"import os, sys\nprint({outside!r} in sys.path, os.path.exists({outside!r}))\nimport elsewhere")
            self.assertEqual(o.stdout, "True False\n")
            self.assertIn("No module named 'elsewhere'", o.stderr)


class Preload(Environment):
    def test_imported_beforehand_in_order(self):
        self.module("one", "import sys\nORDER = [n for n in ('one', 'two') if n in sys.modules]\n")
        self.module("two", "import sys\nORDER = [n for n in ('one', 'two') if n in sys.modules]\n")
        for off in TIERS:
            with self.subTest(off):
                c = self.server(" two ,\tone,os.path ", RUNNER_TEST_LAYERS_OFF=off or None)
                o = c.run("import sys\nprint('one' in sys.modules, 'two' in sys.modules)\nimport one, two\nprint(two.ORDER, one.ORDER)")
                self.assertEqual((o.stdout, o.stderr), ("True True\n['two'] ['one', 'two']\n", ""))

    def test_nothing_else_is_different(self):
        self.module("one", "")
        plain, preloaded = (json.loads(self.server(names).run(SEEN).stdout) for names in (None, "one"))
        self.assertEqual(set(preloaded.pop("modules")) - set(plain.pop("modules")), {"one"})
        self.assertEqual(preloaded, plain)

    def test_no_program_reads_the_list(self):
        self.module("a_rare_name", "")
        o = self.server("a_rare_name", RUNNER_TEST_LAYERS_OFF=None if mcp.POSIX else "namespaces").run(
            "import os\nfor name in os.listdir('/proc'):\n  for what in ('cmdline', 'environ'):\n    try:\n"
            "      if b'a_rare' + b'_name' in open(f'/proc/{name}/{what}', 'rb').read(): print(name, what)\n    except OSError: pass\n"
            "print('looked')")
        if not mcp.POSIX:  # there the server's own environment can be read, as by any process of its user
            self.assertEqual(o.stdout, "looked\n")

    def test_what_an_import_prints(self):
        self.module("loud", "import ctypes, os, sys, warnings\nprint('printed')\nprint('partly', end='')\nsys.stderr.write('err')\n"
                            "os.write(1, b'written')\nctypes.CDLL(None).printf(b'from C')\nwarnings.warn('careful')\n")
        c = self.server("loud")
        for _ in range(3):
            o = c.run("import loud\nprint('mine')")
            self.assertEqual((o.stdout, o.stderr), ("mine\n", ""))

    def test_what_an_import_sets_in_the_process(self):
        self.module("setter", "import os, signal\nos.umask(0o777)\nsignal.setitimer(signal.ITIMER_REAL, 0.3)\n")
        c = self.server("setter")
        code = "import os, time\nopen('x', 'w').close()\nprint(oct(os.stat('x').st_mode & 0o777), 'setter' in __import__('sys').modules)"
        self.assertEqual(c.run(code).stdout, "0o644 True\n")
        self.assertEqual(c.run("import time\ntime.sleep(0.5)\nprint('not alarmed')").stdout, "not alarmed\n")

    def test_objects_that_a_program_freezes_end_as_well(self):
        self.module("one", "import gc\n")
        c = self.server("one")
        for name in ("gc.freeze()", "getattr(gc, 'fre' + 'eze')()", "gc.freeze()\ngc.unfreeze()"):
            with self.subTest(name):
                o = c.run(f"import gc\nstream = open(1, 'w', closefd=False)\nn = stream.write('written\\n')\n{name}\n")
                self.assertEqual((o.stdout, o.stderr), ("written\n", ""))

    def test_modules_find_what_programs_find(self):
        self.module("place", "import os, tempfile\nHERE = os.getcwd(), os.environ['HOME'], os.environ['TMPDIR']\n"
                             "tempfile.NamedTemporaryFile(delete=False)\nopen('left', 'w')\nopen(os.path.expanduser('~/too'), 'w')\n")
        for off in TIERS:
            with self.subTest(off):
                c = self.server("place", RUNNER_TEST_LAYERS_OFF=off or None)
                o = c.run("import os, place, tempfile\nnow = os.getcwd(), os.environ['HOME'], os.environ['TMPDIR']\n"
                          "print(place.HERE == now, tempfile.gettempdir() == now[2], os.listdir(now[0]), os.listdir(now[2]), os.path.expanduser('~') == now[1])")
                self.assertEqual((o.stdout, o.stderr), (f"{not off and not mcp.POSIX} True ['main.py'] [] True\n", ""))
                self.assertEqual([n for _, _, names in os.walk(c.tmp) for n in names if n != "main.py"], [])
        self.assertEqual(sorted(n for n in os.listdir(self.site) if "pycache" in n), [], "bytecode was written")

    def test_an_import_that_starts_processes_and_threads_that_end(self):
        self.module("busy", "import subprocess, threading\nCODE = subprocess.run(['sh', '-c', 'exit 3']).returncode\n"
                            "t = threading.Thread(target=print)\nt.start()\nt.join()\nthreading.Thread(target=print, daemon=True).start()\n")
        o = self.server("busy").run("import busy, subprocess, sys\nprint('busy' in sys.modules, busy.CODE, subprocess.run(['sh', '-c', 'exit 4']).returncode)")
        self.assertEqual((o.stdout, o.stderr), ("True 3 4\n", ""))

    def test_threads_in_programs(self):
        code = "import threading, concurrent.futures as f\nwith f.ThreadPoolExecutor(3) as p: print(list(p.map(str, range(3))))\n" \
               "t = threading.Thread(target=lambda: print('late'))\nt.start()\nprint(threading.current_thread() is threading.main_thread())\n"
        o = self.server("threading,concurrent.futures.thread,asyncio,logging,multiprocessing.pool").run(code)
        self.assertEqual((sorted(o.stdout.split("\n")), o.stderr), (["", "True", "['0', '1', '2']", "late"], ""))

    def test_random_numbers_differ(self):
        c = self.server("random,tempfile,uuid,secrets,ssl")
        seen = [c.run("import random, ssl, tempfile, uuid\nprint(random.random(), uuid.uuid4(), tempfile.mktemp(), ssl.RAND_bytes(8).hex())").stdout
                for _ in range(6)]
        self.assertEqual(len({s for one in seen for s in one.split()}), 24)

    def test_memory_of_a_program_comes_on_top(self):
        self.module("large", "KEPT = bytearray(300 << 20)\n")
        c = self.server("large", RUNNER_MAX_MEMORY_MB="256")
        o = c.run("import large\nprint(len(large.KEPT) >> 20)\nx = bytearray(200 << 20)\ntry:\n    bytearray(256 << 20)\nexcept MemoryError:\n    print('no more')")
        self.assertEqual((o.stdout, o.stderr), ("300\nno more\n", ""))

    def test_no_program_has_a_descriptor_more(self):
        o = self.server("ssl,sqlite3,multiprocessing,asyncio").run("import os\nprint([n for n in range(3, 1000) if os.path.exists(f'/proc/self/fd/{n}')])")
        self.assertEqual(o.stdout, "[]\n")


FAILING = {
    "raises": ("1 / 0", "ZeroDivisionError: division by zero"),
    "speaks": ("raise ValueError('first line\\nsecond line')", "ValueError: first line"),
    "lacks": ("import no_such_thing", "ModuleNotFoundError: No module named 'no_such_thing'"),
    "wrong": ("def f(:", "SyntaxError: "),
    "leaves": ("import sys; sys.exit('bye')", "SystemExit: bye"),
    "silent": ("raise SystemExit", "SystemExit;"),
    "interrupted": ("raise KeyboardInterrupt", "KeyboardInterrupt;"),
    "vanishes": ("import os; os._exit(7)", "ended with exit code 7 while it imported it"),
    "crashes": ("import os; os.kill(os.getpid(), 11)", "was killed by SIGSEGV while it imported it"),
    "threaded": ("import threading, time; threading.Thread(target=time.sleep, args=(99,), daemon=True).start()", "it started 1 thread"),
    "keeps": ("import socket; KEPT = socket.socket()", "it keeps descriptor 4 open (socket:["),
}


class Failures(Environment):
    limit_seconds = 240

    def check(self, name, reason):
        self.module(name, FAILING[name][0] + "\n")
        self.module("good", "")
        c = self.server(f"{name},good", RUNNER_LOG_LEVEL="ERROR")
        line = c.wait_log(f"ERROR RUNNER_PRELOAD: {name} is not preloaded: ")
        self.assertIn(reason, line.string)
        o = c.run(f"import sys\nprint('good' in sys.modules, {name!r} in sys.modules)")
        self.assertEqual((o.stdout, o.stderr), ("True False\n", ""))
        self.assertEqual(len(self.templates(c)), 1)
        self.assertEqual(len([x for x in c.log if name in x]), 1, c.log)

    def test_each(self):
        for name, (_, reason) in FAILING.items():
            with self.subTest(name):
                self.check(name, reason)

    def test_all_of_them(self):
        for name, (code, _) in FAILING.items():
            self.module(name, code + "\n")
        self.module("good", "")
        o = self.server(",".join([*FAILING, "good"])).run("import sys\nprint(sorted(sys.modules.keys() & %r))" % ({*FAILING, "good"},), deadline=60 * mcp.SLOW)
        self.assertEqual(o.stdout, "['good']\n")

    def test_site_packages_that_were_not_asked_for(self):
        self.module("one", "")
        c = self.client({"RUNNER_PYTHON": self.python, "RUNNER_PRELOAD": "one,json"})
        self.assertIn("No module named 'one' (what is in site-packages is found with RUNNER_SITE_PACKAGES=true)", c.wait_log("ERROR .*one").string)
        self.assertEqual(c.run("import sys\nprint('json' in sys.modules)").stdout, "True\n")

    def test_killed_while_it_imports(self):
        """Once may be anybody's doing, and the module is tried again; a second time it is the module's."""
        flag = os.path.join(self.folder, "flag")
        self.module("slow", f"import os, time\nwhile not os.path.exists({flag!r}):\n    time.sleep(0.005)\n")
        for kills in (1, 2):
            c = self.server("slow", RUNNER_LOG_LEVEL="DEBUG")
            seen = 0
            for _ in range(kills):
                procs.wait_until(lambda: sum("imports slow" in x for x in c.log) > seen, 10 * mcp.SLOW)
                seen += 1
                os.kill(self.templates(c)[0], signal.SIGKILL)
            i = c.call("import sys\nprint('slow' in sys.modules)")
            if kills == 1:
                c.wait_log("WARNING the template was killed by SIGKILL while it imported slow; it is tried once more")
                open(flag, "w").close()
            else:
                c.wait_log("ERROR RUNNER_PRELOAD: slow is not preloaded: the interpreter was killed by SIGKILL while it imported it")
            self.assertEqual(c.outcome(i).stdout, f"{kills == 1}\n")
            if kills == 1:
                os.unlink(flag)

    def test_the_protocol_does_not_wait_for_imports(self):
        flag = os.path.join(self.folder, "flag")
        self.module("slow", f"import os, time\nwhile not os.path.exists({flag!r}):\n    time.sleep(0.005)\n")
        c = self.server("slow")
        c.alive()
        i = c.call("print('ran')")
        c.alive()
        self.assertEqual(c.answers(i), [])
        open(flag, "w").close()
        self.assertEqual(c.outcome(i).stdout, "ran\n")

    def test_server_killed_while_modules_are_imported(self):
        self.module("slow", "import time\nwhile True:\n    time.sleep(1)\n")
        for off in TIERS:
            c = mcp.Client({"RUNNER_PYTHON": self.python, "RUNNER_SITE_PACKAGES": "true", "RUNNER_PRELOAD": "slow", "RUNNER_LOG_LEVEL": "DEBUG",
                            "RUNNER_TEST_LAYERS_OFF": off or None})
            c.wait_log("imports slow")
            (template,) = self.templates(c)
            c.close_stdin()
            self.assertEqual(c.wait_exit(5 * mcp.SLOW), 0)
            self.assert_gone(template)
            self.assertTrue(procs.wait_until(lambda: not os.listdir(c.tmp), 5 * mcp.SLOW), os.listdir(c.tmp))
            c.close(check=False)

    if not mcp.POSIX:

        def test_server_killed_outright_while_modules_are_imported(self):
            self.module("slow", "import time\nwhile True:\n    time.sleep(1)\n")
            c = mcp.Client({"RUNNER_PYTHON": self.python, "RUNNER_SITE_PACKAGES": "true", "RUNNER_PRELOAD": "slow", "RUNNER_LOG_LEVEL": "DEBUG"})
            c.wait_log("imports slow")
            (template,) = self.templates(c)
            os.kill(c.pid, signal.SIGKILL)
            self.assert_gone(template)
            c.wait_exit(2)
            c.close(check=False)


LIBRARY = r"""
#include <pthread.h>
#include <unistd.h>
static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int running, wanted, done;
static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    while (wanted) pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void stop(void)
{
    if (!running) return;
    pthread_mutex_lock(&lock);
    wanted = 0;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    running = 0;
}
int start(void)
{
    if (!running) { wanted = 1; running = pthread_create(&thread, 0, work, 0) == 0; }
    if (!done) done = pthread_atfork(stop, 0, 0) == 0;
    return running;
}
"""


class ForkSafeThreads(Environment):
    def test_threads_that_end_before_a_fork(self):
        """As OpenBLAS's do, which starts them again when they are needed."""
        source = os.path.join(self.folder, "pool.c")
        with open(source, "w") as f:
            f.write(LIBRARY)
        subprocess.run(["cc", "-shared", "-fPIC", "-pthread", "-o", os.path.join(self.site, "libpool.so"), source], check=True)
        self.module("pool", f"import ctypes, os\nLIBRARY = ctypes.CDLL({os.path.join(self.site, 'libpool.so')!r})\nLIBRARY.start()\n"
                            "THREADS = len(os.listdir('/proc/self/task'))\n")
        c = self.server("pool")
        for _ in range(3):
            o = c.run("import os, pool, sys\nprint(pool.THREADS, len(os.listdir('/proc/self/task')), pool.LIBRARY.start(), len(os.listdir('/proc/self/task')))")
            self.assertEqual((o.stdout, o.stderr), ("2 1 1 2\n", ""))
