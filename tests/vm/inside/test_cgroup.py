"""The cgroup layer on a stock kernel, in a delegated subtree. Runs in the virtual machine of tests/vm/run.sh."""
import itertools
import json
import os
import signal
import subprocess

import cases
import mcp
import procs

HERE = os.environ["TEST_CGROUP"]
NUMBER = itertools.count(1)
LIMIT_MB = 64
ENTER = ["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"']
# an emulated processor is slow; one waiting worker, and so one more cgroup
ENV = {"RUNNER_MAX_MEMORY_MB": str(LIMIT_MB), "RUNNER_DEFAULT_TIMEOUT_SEC": "60", "RUNNER_MAX_CPU_SECONDS": "60",
       "RUNNER_WARM_WORKERS": "1"}
MB = 1 << 20


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read()


def write(text, *path):
    with open(os.path.join(*path), "w") as f:
        f.write(text)


def below(cgroup):
    return sorted(e.name for e in os.scandir(cgroup) if e.is_dir())


def runs(cgroup):
    """{number: its processes}"""
    found = {}
    for name in below(cgroup):
        if name.startswith("python-runner-run-"):
            try:
                found[int(name.rsplit("-", 1)[1])] = list(map(int, read(cgroup, name, "cgroup.procs").split()))
            except OSError:
                pass  # it has just gone
    return found


def new_cgroup():
    path = os.path.join(HERE, f"{os.getpid()}-{next(NUMBER)}")
    os.mkdir(path)
    return path


class Case(cases.ServerCase):
    """Each server in a cgroup of its own, as a service manager would start it."""

    def server(self, env=None, **more):
        cgroup = new_cgroup()
        self.addCleanup(self._check_left, cgroup)
        client = self.client({**ENV, **(env or {})}, argv=[*ENTER, cgroup, mcp.SERVER], **more)
        client.cgroup = cgroup
        return client

    def _check_left(self, cgroup):
        self.assertTrue(procs.wait_until(lambda: below(cgroup) == [], 10), f"cgroups left: {below(cgroup)}")
        self.assertEqual(read(cgroup, "cgroup.subtree_control").split(), [], "left switched on")
        os.rmdir(cgroup)

    def assert_run_gone(self, client):
        """Only the waiting worker and its keeper are there."""
        def gone():
            return [len(pids) for pids in runs(client.cgroup).values()] == [2]
        self.assertTrue(procs.wait_until(gone, 20), f"left: {runs(client.cgroup)}")

    def assert_memory_limit(self, outcome):
        self.assertEqual((outcome.status, outcome.signal), ("memory_limit", 9), outcome)
        self.assertIn(f"--- memory limit: {LIMIT_MB} MB exceeded | exit_code: -9 (SIGKILL) | duration: ", outcome.text)


class TheLayer(Case):
    def doctor(self, cgroup, **env):
        p = subprocess.run([*ENTER, cgroup, mcp.SERVER, "doctor", "--json"], stdout=subprocess.PIPE, timeout=120,
                           env=mcp.client_env({**ENV, **env}))
        report = json.loads(p.stdout)
        return p.returncode, report, {layer["name"]: layer for layer in report["sandbox"]["layers"]}

    def test_all_layers_hold(self):
        cgroup = new_cgroup()
        status, report, layers = self.doctor(cgroup)
        self.assertEqual((status, report["ok"], report["sandbox"]["tier"], report["sandbox"]["gaps"]), (0, True, "full", []), report)
        self.assertEqual(list(layers), ["namespaces", "landlock", "seccomp", "cgroup"])
        self.assertEqual([layer for layer in layers.values() if not layer["holds"]], [])
        self._check_left(cgroup)

    def test_somebody_else_is_there(self):
        cgroup = new_cgroup()
        other = subprocess.Popen([*ENTER, cgroup, "busybox", "sleep", "1000"])
        try:
            self.assertTrue(procs.wait_until(lambda: read(cgroup, "cgroup.procs").split() == [str(other.pid)], 10))
            status, report, layers = self.doctor(cgroup)
            self.assertEqual((status, report["sandbox"]["tier"]), (0, "full"))
            self.assertEqual([n for n, layer in layers.items() if not layer["holds"]], ["cgroup"])
            self.assertIn(f"process {other.pid} is in {cgroup} too", layers["cgroup"]["why"])
            line = "systemd-run --scope" if os.getuid() == 0 else "systemd-run --user --scope"
            self.assertIn(f"{line} -p Delegate=yes python-runner-mcp", layers["cgroup"]["fix"])
            self.assertEqual(read(cgroup, "cgroup.procs").split(), [str(other.pid)], "somebody was moved")
        finally:
            other.kill()
            other.wait()
        self._check_left(cgroup)

    def test_not_delegated(self):
        if os.getuid() == 0:
            return  # may write everywhere
        p = subprocess.run([mcp.SERVER, "doctor", "--json"], stdout=subprocess.PIPE, env=mcp.client_env(),
                           timeout=120, preexec_fn=None)
        layer = json.loads(p.stdout)["sandbox"]["layers"][3]
        self.assertFalse(layer["holds"])  # the tests themselves are here
        self.assertIn("too", layer["why"])

    def test_the_server_goes_into_a_leaf_and_nobody_else(self):
        c = self.server()
        self.assertEqual(c.run("print(1)").stdout, "1\n")
        leaf = os.path.join(c.cgroup, "python-runner-server")
        self.assertEqual(read(c.cgroup, "cgroup.procs"), "")
        self.assertIn(str(c.pid), read(leaf, "cgroup.procs").split())
        self.assertLessEqual(set(map(int, read(leaf, "cgroup.procs").split())), {c.pid, *procs.descendants(c.pid)})

    def test_the_limits_of_a_run(self):
        c = self.server({"RUNNER_MAX_PROCESSES": "8"})
        c.start_marked("import time\nprint('started', flush=True)\ntime.sleep(100)")
        number, pids = min(runs(c.cgroup).items())
        run = os.path.join(c.cgroup, f"python-runner-run-{number}")
        got = {f: read(run, f).strip() for f in ("memory.max", "memory.oom.group", "pids.max")}
        self.assertEqual(got, {"memory.max": str(LIMIT_MB * MB), "memory.oom.group": "1", "pids.max": "9"})
        self.assertEqual(len(pids), 2)  # keeper and program

    def test_a_program_does_not_see_where_it_is(self):
        c = self.server()
        self.assertNotIn(os.path.basename(HERE), c.run("print(open('/proc/self/cgroup').read())").stdout)

    def test_without_the_layer(self):
        """The same programs with the barrier removed."""
        c = self.server({"RUNNER_TEST_LAYERS_OFF": "cgroup"})
        self.assertEqual(c.run(Sums.PROCESSES).status, "exited")
        self.assertEqual(c.run(Sums.MEMFD).status, "exited")
        self.assertEqual(c.run("bytearray(1 << 30)").exit_code, 1)
        self.assertEqual(below(c.cgroup), [])


class Sums(Case):
    PROCESSES = (
        "import os, time\n"
        "pids = []\n"
        "for i in range(4):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        data = b'x' * (24 << 20)\n"
        "        time.sleep(3)\n"
        "        os._exit(0)\n"
        "    pids.append(pid)\n"
        "for pid in pids: os.waitpid(pid, 0)\n"
        "print('all lived')\n"
    )
    MEMFD = (
        "import os\n"
        "for i in range(12):\n"
        "    fd = os.memfd_create('x')\n"
        "    os.write(fd, bytes(8 << 20))\n"
        "print('all written')\n"
    )

    def test_memory(self):
        c = self.server()
        self.assert_memory_limit(c.run(self.PROCESSES))
        self.assert_memory_limit(c.run("x = b'x' * (100 << 20)"))
        self.assert_memory_limit(c.run(self.MEMFD))
        self.assert_memory_limit(c.run(
            "for d in '.', '/tmp', '/dev/shm':\n"
            "    for i in range(3):\n"
            "        with open(f'{d}/{i}', 'wb') as f: f.write(bytes(9 << 20))\n"
            "print('all written')\n"))
        # a child alone: the run is a whole
        self.assert_memory_limit(c.run(
            "import os, time\n"
            "if os.fork() == 0:\n"
            "    x = b'x' * (100 << 20)\n"
            "time.sleep(60)\n"))
        # what was printed before is there, and the next run has it all again
        outcome = c.run("print('before')\nx = b'x' * (100 << 20)")
        self.assert_memory_limit(outcome)
        self.assertEqual(outcome.stdout, "before\n")
        outcome = c.run("x = b'x' * (40 << 20)\nprint(len(x))")
        self.assertEqual((outcome.status, outcome.stdout), ("exited", f"{40 * MB}\n"))
        self.assertGreaterEqual(outcome.meta["max_rss_kb"], 40 * 1024)
        self.assert_run_gone(c)

    def test_most_memory_is_that_of_all_together(self):
        c = self.server()
        outcome = c.run(self.PROCESSES.replace("24 << 20", "10 << 20"))
        self.assertEqual(outcome.stdout, "all lived\n")
        self.assertGreaterEqual(outcome.meta["max_rss_kb"], 40 * 1024)

    def test_address_space(self):
        c = self.server()
        outcome = c.run("bytearray(50 << 30)")
        self.assertEqual((outcome.status, outcome.exit_code), ("exited", 1))
        self.assertIn("MemoryError", outcome.stderr)
        self.assertIn("RUNNER_MAX_MEMORY_MB", outcome.note)
        # as numeric libraries do: much address space, little memory
        self.assertEqual(c.run("import mmap\nm = mmap.mmap(-1, 1 << 30, mmap.MAP_PRIVATE)\nm[5] = 1\nprint(m[5])").stdout, "1\n")
        self.assertEqual(c.run(
            "import threading\n"
            "threading.stack_size(64 << 20)\n"
            "e = threading.Event()\n"
            "ts = [threading.Thread(target=e.wait) for i in range(20)]\n"
            "for t in ts: t.start()\n"
            "e.set()\n"
            "for t in ts: t.join()\n"
            "print(len(ts))").stdout, "20\n")

    FORKS = (
        "import os, time\n"
        "n = 0\n"
        "try:\n"
        "    while n < 40:\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(60)\n"
        "            os._exit(0)\n"
        "        n += 1\n"
        "except BlockingIOError:\n"
        "    pass\n"
        "print(n)\n"
    )

    def test_tasks(self):
        c = self.server({"RUNNER_MAX_PROCESSES": "8"})
        self.assertEqual(c.run(self.FORKS).stdout, "7\n")  # and itself
        self.assertEqual(c.run(self.FORKS).stdout, "7\n")
        self.assert_run_gone(c)

    def test_tasks_of_one_run_without_namespaces(self):
        """There RLIMIT_NPROC would count the whole user, and not count root."""
        c = self.server({"RUNNER_MAX_PROCESSES": "8", "RUNNER_TEST_LAYERS_OFF": "namespaces"})
        calls = [c.call(self.FORKS + "time.sleep(1)\n") for _ in range(2)]
        self.assertEqual([c.outcome(i).stdout for i in calls], ["7\n", "7\n"])
        self.assert_run_gone(c)

    def test_cpu_time_of_those_nobody_waits_for(self):
        c = self.server({"RUNNER_MAX_CPU_SECONDS": "1", "RUNNER_DEFAULT_TIMEOUT_SEC": "60"})
        outcome = c.run(
            "import os, signal, time\n"
            "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
            "while True:\n"
            "    if os.fork() == 0:\n"
            "        end = time.process_time() + 0.2\n"
            "        while time.process_time() < end: pass\n"
            "        os._exit(0)\n"
            "    try: os.wait()\n"
            "    except ChildProcessError: pass\n")
        self.assertEqual(outcome.status, "cpu_limit", outcome)
        self.assertGreaterEqual(outcome.meta["cpu_ms"], 990)
        self.assertLess(outcome.meta["cpu_ms"], 2500)
        self.assert_run_gone(c)


class TheEnd(Case):
    SLEEPS = "import os, time\nos.fork()\nos.setsid() if os.getpgrp() != os.getpid() else 0\nprint('started', flush=True)\ntime.sleep(100)"

    def start(self, c):
        call = c.start_marked(self.SLEEPS)
        _, pids = min(runs(c.cgroup).items())
        self.assertEqual(len(pids), 3)  # keeper and program, which forks
        return call, pids

    def test_timeout(self):
        c = self.server()
        self.assertEqual(c.run(self.SLEEPS, timeout=1).status, "timeout")
        self.assert_run_gone(c)

    def test_cancelled(self):
        c = self.server()
        call, pids = self.start(c)
        c.notify("notifications/cancelled", {"requestId": call})
        self.assert_run_gone(c)
        for pid in pids:
            self.assert_gone(pid)

    def test_processes_without_end(self):
        c = self.server({"RUNNER_MAX_PROCESSES": "64"})
        outcome = c.run("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n", timeout=3)
        self.assertIn(outcome.status, ("timeout", "cpu_limit", "memory_limit"))
        self.assert_run_gone(c)
        self.assertEqual(c.run("print(1)").stdout, "1\n")

    def test_keeper_killed(self):
        for off in "", "namespaces":
            with self.subTest(off=off):
                c = self.server({"RUNNER_TEST_LAYERS_OFF": off})
                call, pids = self.start(c)
                keeper = next(p for p in pids if read(f"/proc/{p}/comm") == "runner-keeper\n")
                os.kill(keeper, signal.SIGKILL)
                self.assertEqual(c.outcome(call).status, "sandbox_error")
                self.assert_run_gone(c)
                for pid in pids:
                    self.assert_gone(pid)

    def test_template_killed(self):
        c = self.server()
        call, pids = self.start(c)
        for pid in procs.descendants(c.pid):
            if pid not in pids and int(procs.stat(pid)[1]) == c.pid:
                os.kill(pid, signal.SIGKILL)
        c.notify("notifications/cancelled", {"requestId": call})
        self.assert_run_gone(c)
        self.assertEqual(c.run("print(1)").stdout, "1\n")

    def test_server_killed(self):
        cgroup = new_cgroup()
        c = mcp.Client(ENV, argv=[*ENTER, cgroup, mcp.SERVER])
        c.cgroup = cgroup
        _, pids = self.start(c)
        everybody = [*pids, *procs.descendants(c.pid)]
        c.proc.kill()
        c.wait_exit()
        for pid in everybody:
            self.assert_gone(pid)
        c.close(check=False)
        self._check_left(cgroup)

    def test_server_and_template_killed(self):
        """Nothing lives; the empty cgroups go at the next start in the same place."""
        cgroup = new_cgroup()
        c = mcp.Client(ENV, argv=[*ENTER, cgroup, mcp.SERVER])
        c.cgroup = cgroup
        _, pids = self.start(c)
        everybody = [*pids, *procs.descendants(c.pid)]
        os.kill(c.pid, signal.SIGSTOP)  # or it would start another template
        for pid in everybody:
            if pid not in pids:
                os.kill(pid, signal.SIGKILL)
        c.proc.kill()
        c.wait_exit()
        for pid in everybody:
            self.assert_gone(pid)
        self.assertEqual({read(cgroup, n, "cgroup.procs") for n in below(cgroup)}, {""})
        c.close(check=False)
        write("-memory -pids", cgroup, "cgroup.subtree_control")  # or nobody could be put into it
        theirs = os.path.join(cgroup, "python-runner-run-else")  # somebody is in it
        os.mkdir(theirs)
        other = subprocess.Popen([*ENTER, theirs, "busybox", "sleep", "1000"])
        second = mcp.Client(ENV, argv=[*ENTER, cgroup, mcp.SERVER])
        self.assertEqual(second.run("print(1)").stdout, "1\n")
        second.close()
        self.assertEqual(below(cgroup), ["python-runner-run-else"])
        self.assertIsNone(other.poll())
        other.kill()
        other.wait()
        os.rmdir(theirs)
        self._check_left(cgroup)


class FullTier(Case):
    def test_nothing_gets_out(self):
        c = self.server()
        outcome = c.run(
            "import os, socket, ctypes, signal\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def ok(f):\n"
            "    try: f()\n"
            "    except (OSError, PermissionError): return False\n"
            "    return True\n"
            "def call(*a):\n"
            "    if libc.syscall(*a) < 0: raise OSError(ctypes.get_errno(), '')\n"
            "got = {\n"
            "    'the tests': os.path.exists('/test'),\n"
            "    'a home': os.path.exists('/home'),\n"
            "    'a cgroup file system': os.path.exists('/sys/fs/cgroup'),\n"
            "    'root': os.getuid() == 0,\n"
            "    'other processes': [p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())] != [],\n"
            "    'memory of the keeper': ok(lambda: open('/proc/1/mem', 'rb')),\n"
            "    'ptrace': ok(lambda: call(101, 16, 1, 0, 0)),\n"
            "    'unshare': ok(lambda: call(272, 0x10000000)),\n"
            "    'mount': ok(lambda: call(165, b'x', b'/tmp', b'tmpfs', 0, 0)),\n"
            "    'bpf': ok(lambda: call(321, 0, 0, 0)),\n"
            "    'writing to /usr': ok(lambda: open('/usr/x', 'w')),\n"
            "    'writing to /proc/sys': ok(lambda: open('/proc/sys/kernel/hostname', 'w')),\n"
            "    'a network': ok(lambda: socket.create_connection(('192.0.2.1', 80), 1)),\n"
            "    'kmsg': ok(lambda: open('/dev/kmsg')),\n"
            "    'disks': ok(lambda: open('/dev/vda')),\n"
            "}\n"
            "print([k for k, v in got.items() if v])\n")
        self.assertEqual(outcome.stdout, "[]\n", outcome)

    def test_ordinary_programs_run(self):
        c = self.server()
        for code, printed in (
            ("import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(5)'], capture_output=True, text=True).stdout)", "5\n\n"),
            ("import sqlite3\nprint(sqlite3.connect('x.db').execute('select 6').fetchone()[0])", "6\n"),
            ("import asyncio\nasync def f(): return await asyncio.to_thread(lambda: 7)\nprint(asyncio.run(f()))", "7\n"),
            ("import socket\ns = socket.create_server(('127.0.0.1', 0))\nc = socket.create_connection(s.getsockname())\nc.send(b'8')\nprint(s.accept()[0].recv(1).decode())", "8\n"),
            ("import tempfile, uuid, ssl, zoneinfo\nprint(len(str(uuid.uuid4())), zoneinfo.ZoneInfo('Europe/Paris'))", "36 Europe/Paris\n"),
            ("from multiprocessing.shared_memory import SharedMemory\nm = SharedMemory(create=True, size=10)\nm.buf[0] = 9\nprint(m.buf[0])\nm.close()\nm.unlink()", "9\n"),
        ):
            with self.subTest(code=code):
                self.assertEqual(c.run(code).stdout, printed)

