"""`serve`: how a server begins and how it ends."""
import fcntl
import json
import resource
import shutil
import sys
import tempfile
import termios

from cli import *

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def lines(*messages):
    return b"".join(json.dumps(m).encode() + b"\n" for m in messages)


def tool_call(i, code, **arguments):
    return {"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "run_python", "arguments": {"code": code, **arguments}}}


class ServeCase(CliCase):
    def client(self, *args, **kwargs):
        c = mcp.Client(*args, **kwargs)
        self.addCleanup(c.close)
        return c

    def answers(self, out):
        return {m["id"]: m for m in map(json.loads, out.splitlines()) if "id" in m}


class Begin(ServeCase):
    def test_with_and_without_its_name(self):
        for args in ((), ("serve",)):
            p = call(*args, stdin=lines(HELLO, READY, tool_call(2, "print(6 * 7)")))
            self.assertEqual(p.returncode, 0, p.err)
            self.assertIn("42\n", self.answers(p.out)[2]["result"]["content"][0]["text"])

    def test_the_start_is_logged(self):
        p = call(RUNNER_MAX_MEMORY_MB="123")
        self.assertEqual((p.returncode, p.out), (0, b""))
        line = p.err.splitlines()[0]
        version = call("--version").out.decode().split()[1]
        for word in ("INFO", f"python-runner-mcp {version}", "CPython 3.", "timeout 10s, at most 60s", "memory 123 MB", "sandbox: "):
            self.assertIn(word, line)
        self.assertTrue(any("WARNING" in text and "sandbox: " in text for text in p.err.splitlines()[1:]), p.err)
        self.assertEqual(call(RUNNER_LOG_LEVEL="ERROR").err, "")

    def test_the_log_as_json(self):
        p = call(RUNNER_LOG_FORMAT="json", RUNNER_LOG_LEVEL="DEBUG", stdin=lines(HELLO, READY, tool_call(2, "1")))
        rows = [json.loads(line) for line in p.err.splitlines()]
        self.assertTrue(any("sandbox: " in row["message"] for row in rows), rows)
        for row in rows:
            self.assertEqual({"time", "level", "message"} - set(row), set())

    def test_an_interpreter_that_is_none(self):
        p = call(RUNNER_PYTHON="/bin/true", stdin=lines(HELLO), RUNNER_LOG_LEVEL="ERROR")
        self.assert_usage(p, "RUNNER_PYTHON=/bin/true")

    def test_on_a_terminal_it_says_what_it_is(self):
        t = self.terminal()
        p = self.start(stdin=t.there)
        said = read_until(p.stderr.fileno(), b"sandbox: ")
        for word in (b"MCP server", b"JSON-RPC", b"run -c 'print(1)'", b"config claude-desktop"):
            self.assertIn(word, said)
        os.write(t.here, b"\x04")
        self.assertEqual(p.wait(LIMIT), 0)
        self.assertEqual(p.stdout.read(), b"")

    def test_standard_descriptors_closed(self):
        for closed in ("<&-", "<&- >&-", "<&- >&- 2>&-", "<&- 2>&-"):
            with self.subTest(closed):
                p = subprocess.run(["/bin/sh", "-c", f'exec "$0" {closed}', BIN], env=env(), timeout=LIMIT, capture_output=True)
                self.assertEqual(p.returncode, 0, p.stderr)

    def test_stdout_and_stderr_closed_while_it_works(self):
        folder = self.folder()
        code = f"open({folder!r} + '/mark', 'w').write('ran')"
        p = subprocess.run(["/bin/sh", "-c", 'exec "$0" >&- 2>&-', BIN], input=lines(HELLO, READY, tool_call(2, code)),
                           env=env(RUNNER_SANDBOX="rlimits"), timeout=LIMIT)
        self.assertEqual(p.returncode, 0)
        with open(os.path.join(folder, "mark")) as f:
            self.assertEqual(f.read(), "ran")

    def test_a_parent_that_allows_no_files(self):
        """setrlimit(2): a write beyond RLIMIT_FSIZE raises SIGXFSZ, which would end us."""
        p = call(stdin=lines(HELLO, READY, tool_call(2, "print(1)"), {"jsonrpc": "2.0", "id": 3, "method": "ping"}),
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
        self.assertEqual(p.returncode, 0, p.err)
        answers = self.answers(p.out)
        self.assertEqual(answers[3]["result"], {})
        result = answers[2]["result"]
        self.assertTrue(result["isError"], result)
        self.assertIn("File too large", result["content"][0]["text"])

    def test_what_can_not_run_is_logged_once(self):
        folder = os.path.join(self.folder(), "temporary")
        os.mkdir(folder, 0o700)
        p = self.start(TMPDIR=folder, RUNNER_SANDBOX="rlimits", RUNNER_LOG_LEVEL="ERROR")
        p.stdin.write(lines(HELLO))
        read_until(p.stdout.fileno(), b'"id":1')
        shutil.rmtree(folder)
        os.close(os.open(folder, os.O_CREAT))
        p.stdin.write(lines(READY, tool_call(2, "print(1)")))
        self.assertIn(b'"isError":true', read_until(p.stdout.fileno(), b'"id":2'))
        p.stdin.close()
        log = p.stderr.read().decode()
        self.assertEqual(log.count("could not be set up"), 1, log)

    def test_no_core_dumps_and_no_strange_descriptors(self):
        r, w = os.pipe()
        p = self.start(pass_fds=(r, w))
        p.stdin.write(lines(HELLO, READY, tool_call(2, "1")))
        read_until(p.stdout.fileno(), b'"id":2')
        watched = [p.pid, *procs.descendants(p.pid)]
        self.assertGreater(len(watched), 1)
        pipe = os.readlink(f"/proc/self/fd/{w}")
        for pid in watched:
            limits = procs.read(pid, "limits").decode()
            if not limits and pid != p.pid:
                continue  # the worker of the call above, which has just ended
            self.assertRegex(limits, r"Max core file size +[01] +[01] ")  # 1: nor a handler of the host's, core(5)
            if pid != p.pid and os.access(f"/proc/{pid}/fd", os.R_OK):  # trusted processes do not let their user look in
                links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
                self.assertNotIn(pipe, links)
        os.close(r)
        os.close(w)


class EndOfInput(ServeCase):
    def test_nothing_asked(self):
        begun = time.monotonic()
        p = call(stdin=b"")
        self.assertEqual((p.returncode, p.out), (0, b""))
        self.assertLess(time.monotonic() - begun, 2 * SLOW)

    def test_calls_that_were_read_are_answered(self):
        p = call(stdin=lines(HELLO, READY, *(tool_call(i, f"import time; time.sleep(0.2); print({i})") for i in range(2, 6))))
        self.assertEqual(p.returncode, 0, p.err)
        got = self.answers(p.out)
        self.assertEqual(sorted(got), [1, 2, 3, 4, 5])
        for i in range(2, 6):
            self.assertIn(f"\n{i}\n", got[i]["result"]["content"][0]["text"])

    def test_a_last_line_without_its_end(self):
        p = call(stdin=lines(HELLO, READY, tool_call(2, "print('last')"))[:-1])
        self.assertIn("last\n", self.answers(p.out)[2]["result"]["content"][0]["text"])

    def test_long_calls_are_killed(self):
        c = self.client()
        c.start_marked(f"import time, subprocess; subprocess.Popen(['sleep', '61.5'], start_new_session={not mcp.POSIX}); print('started'); time.sleep(60)", timeout=60)
        below = procs.descendants(c.pid)
        begun = time.monotonic()
        c.close_stdin()
        self.assertEqual(c.wait_exit(), 0)
        self.assertLess(c.exit_time - begun, 2 * SLOW)
        self.assertGreater(c.exit_time - begun, 0.9)
        for pid in below:
            self.assert_gone(pid)
        self.assertEqual(procs.with_argument("61.5"), [])

    def test_a_queue_that_waits(self):
        c = self.client(env={"RUNNER_MAX_CONCURRENT": "1"})
        c.start_marked("print('started')\nwhile True: pass", timeout=60)
        for _ in range(50):
            c.call("while True: pass", timeout=60)
        begun = time.monotonic()
        c.close_stdin()
        self.assertEqual(c.wait_exit(), 0)
        self.assertLess(c.exit_time - begun, 2 * SLOW)

    def test_a_client_that_does_not_read(self):
        """A pipe full of answers, none of them read, and then the end: first a few, then more than is kept waiting."""
        for n in (200, 20000):
            p = self.start(stderr=subprocess.DEVNULL)
            os.set_blocking(p.stdin.fileno(), False)
            data = lines(HELLO, READY) + b"".join(lines({"jsonrpc": "2.0", "id": i, "method": "tools/list"}) for i in range(2, n))
            end = time.monotonic() + 1
            while data and time.monotonic() < end:  # until it is taken, or the server has stopped to read
                try:
                    data = data[os.write(p.stdin.fileno(), data):]
                except BlockingIOError:
                    time.sleep(0.01)
            begun = time.monotonic()
            p.stdin.close()
            self.assertEqual(p.wait(LIMIT), 0)
            self.assertLess(time.monotonic() - begun, 2.2 * SLOW, f"{n} requests")

    def test_a_client_that_goes_away(self):
        p = self.start(stderr=subprocess.PIPE)
        p.stdin.write(lines(HELLO, READY))
        read_until(p.stdout.fileno(), b"\n")
        p.stdout.close()
        p.stdin.write(lines({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
        self.assertEqual(p.wait(LIMIT), 0)
        self.assertNotIn(b"Traceback", p.stderr.read())

    def test_stderr_that_nobody_reads(self):
        p = self.start(RUNNER_LOG_LEVEL="DEBUG")
        data = lines(HELLO, READY, *({"jsonrpc": "2.0", "id": i, "method": "x" * 1000} for i in range(2, 500)), tool_call(500, "print('still here')"))
        p.stdin.write(data[:60000])
        p.stdin.write(data[60000:])
        self.assertIn(b"still here", read_until(p.stdout.fileno(), b'"id":500'))


class Signals(ServeCase):
    def unread(self, pipe):
        return int.from_bytes(fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)

    def test_each_of_them(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name):
                c = self.client()
                c.start_marked("print('started')\nimport time; time.sleep(60)", timeout=60)
                below = procs.descendants(c.pid)
                self.assertGreaterEqual(len(below), 2)
                begun = time.monotonic()
                c.proc.send_signal(number)
                self.assertEqual(c.wait_exit(), 0)
                self.assertLess(c.exit_time - begun, 2 * SLOW)
                for pid in below:
                    self.assert_gone(pid)
                self.assertEqual(os.listdir(c.tmp), [])

    def test_while_it_waits_for_the_last_calls(self):
        c = self.client()
        c.start_marked("print('started')\nimport time; time.sleep(60)", timeout=60)
        c.close_stdin()
        c.proc.send_signal(signal.SIGTERM)
        self.assertEqual(c.wait_exit(), 0)

    def test_a_second_one_ends_it_at_once(self):
        """The first waits for a client that does not read what is written; the second does not."""
        p = self.start(stderr=subprocess.DEVNULL)
        fcntl.fcntl(p.stdout.fileno(), fcntl.F_SETPIPE_SZ, 4096)
        # In one piece, so that the others are answered in the same turn as the first.
        p.stdin.write(lines(HELLO, READY, *({"jsonrpc": "2.0", "id": i, "method": "tools/list"} for i in range(2, 50))))
        self.assertTrue(procs.wait_until(lambda: self.unread(p.stdout) > 0, LIMIT), "no answer")
        begun = time.monotonic()
        p.send_signal(signal.SIGTERM)
        self.assertTrue(procs.wait_until(lambda: not procs.descendants(p.pid) or p.poll() is not None, LIMIT), "the template lives")
        p.send_signal(signal.SIGTERM)
        self.assertEqual(p.wait(LIMIT), 128 + signal.SIGTERM)
        self.assertLess(time.monotonic() - begun, 0.7 * SLOW)

    def test_during_the_start(self):
        """Before, while and after the interpreter introduces itself."""
        for delay in (0, 0.005, 0.02, 0.05, 0.1):
            p = self.start(stderr=subprocess.DEVNULL)
            time.sleep(delay)  # no event: the point is to hit anywhere
            p.send_signal(signal.SIGTERM)
            self.assertIn(p.wait(LIMIT), (0, -signal.SIGTERM))  # the latter before main() has come so far

    def test_a_slow_interpreter_does_not_hold_it_up(self):
        slow = self.file("#!/bin/sh\nexec sleep 59.5\n", "python3")
        os.chmod(slow, 0o755)
        p = self.start(RUNNER_PYTHON=slow, stderr=subprocess.DEVNULL)
        self.assertTrue(procs.wait_until(lambda: procs.with_argument("59.5"), LIMIT))
        begun = time.monotonic()
        p.send_signal(signal.SIGTERM)
        self.assertEqual(p.wait(LIMIT), 0)
        self.assertLess(time.monotonic() - begun, 2 * SLOW)
        procs.wait_until(lambda: not procs.with_argument("59.5"), 1)
        self.assertEqual(procs.with_argument("59.5"), [])

    def test_ignored_hangup_stays_ignored(self):
        p = self.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        p.stdin.write(lines(HELLO))
        read_until(p.stdout.fileno(), b"\n")
        p.send_signal(signal.SIGHUP)
        p.stdin.write(lines({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
        self.assertIn(b'"id":2', read_until(p.stdout.fileno(), b"\n"))

    def test_killed_it_takes_everything_along(self):
        c = self.client()
        c.start_marked("print('started')\nimport time; time.sleep(60)", timeout=60)
        below = procs.descendants(c.pid)
        c.proc.kill()
        c.proc.wait()
        for pid in below:
            self.assert_gone(pid)


class OrdinaryUser(ServeCase):
    def test_a_conversation(self):
        folder = self.folder()
        binary = copy_program(folder)
        temp = tempfile.mkdtemp(dir=folder)
        os.chmod(temp, 0o1777)
        self.addCleanup(shutil.rmtree, temp, True)
        p = subprocess.run(as_user([binary]), input=lines(HELLO, READY, tool_call(2, "import os; print('uid', os.getuid())"),
                                                          tool_call(3, "bytearray(1 << 30)"), tool_call(4, "while True: pass", timeout=0.2)),
                           env=env(TMPDIR=temp, HOME="/", RUNNER_SANDBOX="rlimits"), capture_output=True, timeout=LIMIT, cwd="/")
        self.assertEqual(p.returncode, 0, p.stderr)
        got = {i: m["result"]["content"][0]["text"] for i, m in self.answers(p.stdout).items() if i > 1}
        self.assertIn(f"uid {NOBODY if os.geteuid() == 0 else os.geteuid()}\n", got[2])
        self.assertIn("MemoryError", got[3])
        self.assertIn("timeout: killed after 0.2s", got[4])
        self.assertEqual(os.listdir(temp), [])


if __name__ == "__main__":
    unittest.main()
