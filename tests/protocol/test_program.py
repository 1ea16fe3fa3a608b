"""What a program finds around itself, and that nothing of it is left."""
import json
import os
import re

import mcp
import procs
from cases import ServerCase, SharedServerCase

ENV_OK = re.compile(r"^(PATH|HOME|LANG|LC_\w+|TMPDIR|TZ|TERM|USER|LOGNAME|SHELL|PWD|COLUMNS|LINES|NO_COLOR|PYTHON\w+|\w+_NUM_THREADS|"
                    r"MPL\w+|SSL_CERT_\w+|XDG_\w+)$")


class Around(SharedServerCase):
    env = {"RUNNER_CANARY": "CANARY-7f3a", "API_KEY": "CANARY-9b1c", "PYTHONSTARTUP": "CANARY", "LD_LIBRARY_PATH": "/nonexistent/CANARY"}

    def test_environment(self):
        o = self.c.run("import os, json; print(json.dumps(dict(os.environ)))")
        env = json.loads(o.stdout)
        self.assertEqual([k for k in env if not ENV_OK.match(k)], [])
        self.assertNotIn("CANARY", o.text)
        for name in ("PATH", "HOME", "LANG", "TMPDIR"):
            self.assertIn(name, env)

    def test_environment_of_the_process(self):
        o = self.c.run("print(open('/proc/self/environ').read())")
        self.assertNotIn("CANARY", o.text)

    def test_no_runner_in_the_command_line(self):
        o = self.c.run("import sys\nprint(sys.argv, getattr(sys, 'orig_argv', []), open('/proc/self/cmdline').read())")
        self.assertEqual(o.exit_code, 0, o)
        self.assertNotIn("template", o.stdout)
        self.assertIn("main.py", o.stdout)

    def test_descriptors(self):
        o = self.c.run("import os\nfd = os.open('/proc/self/fd', os.O_RDONLY)\nprint(sorted(int(n) for n in os.listdir(fd) if int(n) != fd"
                       " and os.path.islink(f'/proc/self/fd/{n}')))")
        self.assertEqual(o.stdout, "[0, 1, 2]\n")

    def test_no_descriptor_reaches_a_child(self):
        o = self.c.run("import subprocess; print(subprocess.run(['ls', '/proc/self/fd'], capture_output=True, text=True, close_fds=False).stdout.split())")
        self.assertEqual(o.stdout, "['0', '1', '2', '3']\n")  # 3 is the folder ls reads

    def test_work_directory(self):
        o = self.c.run("import os, stat\nprint(os.listdir(), oct(os.stat('.').st_mode & 0o777), os.getcwd() != '/')")
        self.assertEqual(o.stdout, "['main.py'] 0o700 True\n")
        o = self.c.run("import tempfile, os\nwith tempfile.NamedTemporaryFile() as f: print(os.path.dirname(f.name) == os.environ['TMPDIR'])")
        self.assertEqual(o.stdout, "True\n")

    def test_no_state_from_one_run_to_the_next(self):
        self.c.run("import builtins, sys, os\nbuiltins.left = 1; sys.modules['left'] = sys; os.environ['LEFT'] = '1'; open('left', 'w').close()")
        o = self.c.run("import builtins, sys, os\nprint(hasattr(builtins, 'left'), 'left' in sys.modules, 'LEFT' in os.environ, os.path.exists('left'))")
        self.assertEqual(o.stdout, "False False False False\n")

    def test_signals_are_as_usual(self):
        o = self.c.run("import signal\nprint(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN,"
                       " signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.pthread_sigmask(signal.SIG_BLOCK, []))\n"
                       "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('SigIgn')])")
        self.assertEqual(o.stdout.splitlines()[0], "True True True set()")

    def test_randomness_differs(self):
        code = "import random, uuid, ssl, tempfile\nprint(random.random(), uuid.uuid4(), uuid.uuid1(), ssl.RAND_bytes(8).hex(), tempfile.mktemp().rsplit('/')[-1])"
        a, b = (self.c.run(code).stdout.split() for _ in range(2))
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertNotEqual(x, y)

    def test_no_frame_of_ours(self):
        o = self.c.run("import sys, threading\nprint(sys._getframe().f_back, __name__, __file__.endswith('main.py'), threading.active_count())")
        self.assertEqual(o.stdout, "None __main__ True 1\n")

    def test_session_of_its_own(self):
        o = self.c.run("import os\nprint(os.getsid(0) not in (%d,), os.getpgid(0) == os.getsid(0))" % os.getsid(self.c.pid))
        self.assertEqual(o.stdout.split()[0], "True")


class Threads(ServerCase):
    alone = True  # an ordinary user's limit of processes counts those of the other tests as well

    IDLE = ("import threading, time\ndone = threading.Event()\nts = [threading.Thread(target=done.wait) for _ in range(31)]\n"
            "for t in ts: t.start()\nprint(threading.active_count())\ntime.sleep({})\ndone.set()\nfor t in ts: t.join()\nprint('joined')")

    def test_31_idle_threads_at_the_defaults(self):
        self.assertEqual(self.client().run(self.IDLE.format(0)).stdout, "32\njoined\n")

    def test_four_times_31_in_parallel(self):
        c = self.client()
        calls = [c.call(self.IDLE.format(0.5)) for _ in range(4)]
        self.assertEqual([c.outcome(i).stdout for i in calls], ["32\njoined\n"] * 4)

    def test_threads_that_allocate(self):
        c = self.client()
        o = c.run("import threading\ndef f(): x = [bytes(1000) for _ in range(1000)]\nts = [threading.Thread(target=f) for _ in range(16)]\n"
                  "for t in ts: t.start()\nfor t in ts: t.join()\nprint('ok')")
        self.assertEqual(o.stdout, "ok\n")


class NothingLeft(ServerCase):
    """After each kind of end: no process, no file, no zombie, before a second has passed."""

    number = 0

    @classmethod
    def marker(cls):
        cls.number += 1
        return f"{98000 + os.getpid() % 1000}.{os.getpid()}{cls.number}"

    def check(self, code, env=None, **arguments):
        marker = self.marker()
        c = self.client(env)
        o = c.run(code.replace("MARK", marker), **arguments)
        self.assert_none_left(c, marker)
        self.assertEqual(c.run("print('next')").stdout, "next\n")
        return o

    def test_exit(self):
        self.assertEqual(self.check("open('f', 'w').write('x'); print('a')").stdout, "a\n")

    def test_exception(self):
        self.assertEqual(self.check("open('f', 'w').write('x'); 1/0").exit_code, 1)

    def test_signal(self):
        self.assertEqual(self.check("import os; os.mkdir('d'); os.kill(os.getpid(), 9)").signal, 9)

    def test_timeout(self):
        self.assertEqual(self.check("import os, time; os.mkdir('d'); time.sleep(60)", timeout=0.3).status, "timeout")

    def test_cpu_limit(self):
        self.assertEqual(self.check("open('f', 'w')\nwhile True: pass", {"RUNNER_MAX_CPU_SECONDS": "1"}).status, "cpu_limit")

    def test_child_that_sleeps(self):
        self.assertEqual(self.check("import subprocess; subprocess.Popen(['sleep', 'MARK']); print('a')").stdout, "a\n")

    def test_child_holds_the_pipe(self):
        """A run is never over only at the end of a pipe."""
        import time
        t = time.monotonic()
        o = self.check("import os, time\nif os.fork() == 0:\n    time.sleep(60)\nprint('parent')", timeout=20)
        self.assertEqual((o.stdout, o.status), ("parent\n", "exited"))
        self.assertLess(time.monotonic() - t, 5 * mcp.SLOW)

    def test_child_ignores_sigterm(self):
        o = self.check("import os, signal, time\nif os.fork() == 0:\n    for s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n"
                       "    os.execvp('sleep', ['sleep', 'MARK'])\nprint('parent')")
        self.assertEqual(o.stdout, "parent\n")

    def test_program_ignores_sigterm(self):
        o = self.check("import signal, time\nfor s in set(signal.Signals) - {9, 19}: signal.signal(s, signal.SIG_IGN)\ntime.sleep(60)", timeout=0.4)
        self.assertEqual(o.status, "timeout")

    def test_program_that_stops_itself(self):
        o = self.check("import os, signal; print('a', flush=True); os.kill(os.getpid(), signal.SIGSTOP)", timeout=0.5)
        self.assertEqual((o.status, o.stdout), ("timeout", "a\n"))

    def test_program_kills_its_parent(self):
        o = self.check("import os, signal\ntry: os.kill(os.getppid(), 9)\nexcept PermissionError: print('not allowed')\nprint('after')")
        self.assertIn(o.status, ("exited", "signaled", "sandbox_error"))

    def test_many_files(self):
        self.check("import os\nfor i in range(3000): open(f'f{i}', 'w').close()\nos.makedirs('a/b/c'); os.symlink('/etc', 'link')")

    def test_files_that_resist(self):
        self.check("import os\nos.makedirs('a/b'); open('a/b/f', 'w').close(); os.chmod('a/b', 0); os.chmod('a', 0)\n"
                   "os.mkfifo('fifo'); os.symlink('loop', 'loop'); open(b'\\xff\\n', 'w').close(); os.chmod('.', 0)")

    def test_deep_folders(self):
        self.check("import os\nfor i in range(300):\n    os.mkdir('deeper' * 8); os.chdir('deeper' * 8)")

    def test_folders_deeper_than_any_path(self):
        """Longer than PATH_MAX many times over: this may take its time, but not stop others, and goes."""
        c = self.client()
        c.run("import os\nfor i in range(1500):\n    os.mkdir('deeper' * 8); os.chdir('deeper' * 8)")
        c.alive()
        self.assert_none_left(c, within=20)

    def test_links_are_not_followed(self):
        c = self.client()
        keep = os.path.join(c.tmp, "keep")
        os.mkdir(keep)
        with open(os.path.join(keep, "file"), "w") as f:
            f.write("x")
        c.run(f"import os\nos.symlink({keep!r}, 'out'); os.mkdir('d'); os.symlink('../../..', 'd/up')")
        self.assertEqual(os.listdir(keep), ["file"])
        os.unlink(os.path.join(keep, "file"))
        os.rmdir(keep)

    def test_threads_at_the_end(self):
        self.assertEqual(self.check("import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('a')").stdout, "a\n")
        o = self.check("import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.3), print('late'))).start()\nprint('a')")
        self.assertEqual(o.stdout, "a\nlate\n")

    if not mcp.POSIX:  # a process group can be left; only the kernel's help sweeps what did so

        def test_own_process_group(self):
            self.check("import os, time\nif os.fork() == 0:\n    os.setpgid(0, 0); os.execvp('sleep', ['sleep', 'MARK'])\nprint('a')")

        def test_daemonised_grandchild(self):
            o = self.check("import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        for f in (0, 1, 2): os.close(f)\n"
                           "        os.execvp('sleep', ['sleep', 'MARK'])\n    os._exit(0)\nos.wait(); print('parent')")
            self.assertEqual(o.stdout, "parent\n")

        def test_daemon_that_keeps_the_pipe(self):
            o = self.check("import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
                           "        os.execvp('sleep', ['sleep', 'MARK'])\n    os._exit(0)\nos.wait(); print('parent')")
            self.assertEqual(o.stdout, "parent\n")

        def test_daemon_at_a_timeout(self):
            o = self.check("import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
                           "        os.execvp('sleep', ['sleep', 'MARK'])\n    os._exit(0)\ntime.sleep(60)", timeout=0.6)
            self.assertEqual(o.status, "timeout")

        def test_a_chain_that_forks_all_the_time(self):
            """Each process starts its successor and ends: there is never one that lives long."""
            o = self.check("import os, time\nif os.fork() == 0:\n    os.setsid()\n    end = time.monotonic() + 20\n"
                           "    while time.monotonic() < end:\n        if os.fork(): os._exit(0)\nprint('parent')")
            self.assertEqual(o.stdout, "parent\n")

        def test_stopped_daemon(self):
            self.check("import os, signal\nif os.fork() == 0:\n    os.setsid(); os.execvp('sh', ['sh', '-c', 'kill -STOP $$; sleep MARK'])\nprint('a')")


class ProcessLimit(ServerCase):
    alone = True

    if os.getuid() != 0:  # root has no limit of processes

        def test_processes(self):
            """Without namespaces the limit holds for all runs together: four of 32 by default."""
            c = self.client()
            o = c.run("import os, time\nn = 0\ntry:\n    while n < 1000:\n        if os.fork() == 0: time.sleep(60); os._exit(0)\n        n += 1\n"
                      "except BlockingIOError: print('refused')")
            self.assertEqual(o.stdout, "refused\n")
            self.assert_none_left(c)
            self.assertEqual(c.run("print('next')").stdout, "next\n")

        def test_threads(self):
            o = self.client().run("import threading\ndone = threading.Event()\nts = []\ntry:\n    while len(ts) < 1000:\n"
                                  "        t = threading.Thread(target=done.wait); t.start(); ts.append(t)\n"
                                  "except RuntimeError: print('refused')\ndone.set()")
            self.assertEqual(o.stdout, "refused\n")


class Flood(ServerCase):
    alone = True

    def test_memory_stays_flat_under_a_gigabyte(self):
        c = self.client()
        c.run("print('x' * 100000)")
        before = procs.rss_kb(c.pid)
        o = c.run("import os\nb = b'0123456789abcdef' * 4096\nfor i in range(16384): os.write(1, b)\nos.write(2, b'end')", timeout=60)
        self.assertEqual((o.status, o.meta["stdout"]), ("exited", {"bytes": 2**30, "truncated": True}))
        self.assertLess(procs.peak_kb(c.pid) - before, mcp.SANITIZED * 256 * 1024 + 16 * 1024, "growth in kB while a gigabyte was printed")
        self.assertLess(o.meta["duration_ms"], 20_000 * mcp.SLOW)

    def test_floods_in_parallel_on_both_streams(self):
        c = self.client()
        c.run("1")
        before = procs.rss_kb(c.pid)
        calls = [c.call("import os\nb = b'x' * 65536\nwhile True: os.write(1, b); os.write(2, b)", timeout=1.5) for _ in range(4)]
        for i in calls:
            self.assertEqual(c.outcome(i).status, "timeout")
        self.assertLess(procs.peak_kb(c.pid) - before, mcp.SANITIZED * 256 * 1024 + 24 * 1024)

    def test_a_flood_without_newlines_and_progress(self):
        c = self.client()
        i = c.call("import os\nb = b'x' * 65536\nfor i in range(3000): os.write(1, b)", None, {"progressToken": 1}, timeout=30)
        self.assertEqual(c.outcome(i).meta["stdout"]["bytes"], 3000 * 65536)
