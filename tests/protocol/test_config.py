"""RUNNER_* values: what is wrong ends the start with exit 2 and one line."""
import os
import subprocess
import unittest

import mcp
from cases import ServerCase

NUMBERS = ("RUNNER_DEFAULT_TIMEOUT_SEC", "RUNNER_MAX_TIMEOUT_SEC", "RUNNER_MAX_OUTPUT_CHARS", "RUNNER_MAX_MEMORY_MB",
           "RUNNER_MAX_CPU_SECONDS", "RUNNER_MAX_PROCESSES", "RUNNER_MAX_FILE_SIZE_MB", "RUNNER_MAX_CONCURRENT",
           "RUNNER_MAX_QUEUE", "RUNNER_MAX_REQUEST_MB")


class Bad(unittest.TestCase):
    def refused(self, name, value, status=2):
        p = subprocess.run([mcp.SERVER], stdin=subprocess.DEVNULL, capture_output=True, env=mcp.client_env({name: value}), timeout=20 * mcp.SLOW)
        err = p.stderr.decode()
        self.assertEqual(p.returncode, status, f"{name}={value!r}: {err}")
        self.assertEqual(p.stdout, b"")
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn(name, err)
        if value.strip() and value.isprintable():
            self.assertIn(value[:40], err)
        return err

    def test_numbers(self):
        for name in NUMBERS:
            for value in ("abc", "-1", "1e3", "10s", " 10", "10 ", "", "0x10", "99999999999999999999", "nan", "+5", "1,5"):
                with self.subTest(f"{name}={value!r}"):
                    self.refused(name, value)

    def test_out_of_range(self):
        for name in NUMBERS:
            for value in ("0", "9223372036854775807"):
                with self.subTest(f"{name}={value}"):
                    if value == "0" and name == "RUNNER_MAX_QUEUE":
                        continue
                    self.refused(name, value)

    def test_words(self):
        for name in ("RUNNER_LOG_LEVEL", "RUNNER_LOG_FORMAT", "RUNNER_STRUCTURED_OUTPUT"):
            for value in ("maybe", "2", ""):
                with self.subTest(f"{name}={value!r}"):
                    self.refused(name, value)

    def test_what_is_allowed_is_said(self):
        self.assertIn("json", self.refused("RUNNER_LOG_FORMAT", "xml"))
        self.assertIn("WARNING", self.refused("RUNNER_LOG_LEVEL", "LOUD"))
        self.assertIn("1", self.refused("RUNNER_MAX_CONCURRENT", "0"))

    def test_default_timeout_above_the_most(self):
        p = subprocess.run([mcp.SERVER], stdin=subprocess.DEVNULL, capture_output=True, timeout=20 * mcp.SLOW,
                           env=mcp.client_env({"RUNNER_DEFAULT_TIMEOUT_SEC": "50", "RUNNER_MAX_TIMEOUT_SEC": "20"}))
        self.assertEqual(p.returncode, 2)
        self.assertIn(b"RUNNER_DEFAULT_TIMEOUT_SEC", p.stderr)

    def test_python(self):
        for value in ("/nonexistent/python3", "no-such-python", "/etc/passwd", "/", "/bin/true"):
            with self.subTest(value):
                self.refused("RUNNER_PYTHON", value)


class Good(ServerCase):
    def test_python_from_path(self):
        """Whatever python3 is on PATH, a shim included, resolves to a real interpreter."""
        o = self.client({"RUNNER_PYTHON": None}).run("import sys; print(sys.version_info >= (3, 9), sys.executable)")
        self.assertTrue(o.stdout.startswith("True /"), o)

    def test_python_by_name(self):
        c = self.client({"RUNNER_PYTHON": "python3", "PATH": "/usr/bin:/bin"})
        self.assertEqual(c.run("print(1)").stdout, "1\n")

    def test_virtual_environment(self):
        import tempfile
        with tempfile.TemporaryDirectory() as d:
            subprocess.run([mcp.PYTHON, "-m", "venv", "--without-pip", d], check=True)
            c = self.client({"RUNNER_PYTHON": os.path.join(d, "bin", "python")})
            self.assertEqual(c.run("import sys; print(sys.version_info[0])").stdout, "3\n")

    def test_words_in_any_reasonable_form(self):
        c = self.client({"RUNNER_STRUCTURED_OUTPUT": "1", "RUNNER_LOG_LEVEL": "DEBUG", "RUNNER_LOG_FORMAT": "text"})
        self.assertIn("structuredContent", c.run("1").raw)

    def test_started_from_elsewhere_and_through_a_link(self):
        import tempfile
        with tempfile.TemporaryDirectory() as d:
            link = os.path.join(d, "runner")
            os.symlink(mcp.SERVER, link)
            self.assertEqual(self.client(argv=[link], cwd="/").run("print(1)").stdout, "1\n")

    def test_serve_by_name(self):
        self.assertEqual(self.client(args=["serve"]).run("print(1)").stdout, "1\n")

    def test_strange_temporary_folder(self):
        import tempfile
        with tempfile.TemporaryDirectory(prefix="a b'\"ü-") as d:
            c = self.client(tmp=os.path.join(d, "x y"), ) if os.makedirs(os.path.join(d, "x y")) is None else None
            self.assertEqual(c.run("print(1)").stdout, "1\n")
            c.close()

    def test_bare_environment(self):
        """Only PATH, and not even that."""
        for env in ({"HOME": None, "LOGNAME": None, "SHELL": None, "TERM": None, "USER": None}, {"PATH": None, "HOME": None}):
            self.assertEqual(self.client(env).run("print(1)").stdout, "1\n")

    def test_closed_and_odd_descriptors(self):
        """Descriptors a careless client leaves open are not handed on."""
        r, w = os.pipe()
        os.set_inheritable(r, True)
        c = self.client(pass_fds=(r,))
        o = c.run("import os\nfd = os.open('/proc/self/fd', os.O_RDONLY)\nprint(sorted(int(n) for n in os.listdir(fd) if int(n) != fd"
                  " and os.path.islink(f'/proc/self/fd/{n}')))")
        self.assertEqual(o.stdout, "[0, 1, 2]\n")
        os.close(r)
        os.close(w)

    def test_blocked_and_ignored_signals_are_not_inherited(self):
        import signal

        def odd():
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD, signal.SIGUSR1})
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)

        c = self.client(preexec_fn=odd)
        o = c.run("import signal, subprocess\nprint(signal.pthread_sigmask(signal.SIG_BLOCK, []), subprocess.run(['true']).returncode)")
        self.assertEqual(o.stdout, "set() 0\n")
        c.proc.send_signal(signal.SIGTERM)
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)

    def test_low_descriptor_limit(self):
        import resource
        c = self.client(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096)))
        calls = [c.call("print(1)") for _ in range(30)]
        self.assertEqual([c.outcome(i).stdout for i in calls], ["1\n"] * 30)
