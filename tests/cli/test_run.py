"""`run`: one program, its streams and its exit status ours."""
import fcntl
import json
import resource

from cli import *

FINISHED = {"request_id", "status", "exit_code", "signal", "duration_ms", "cpu_ms", "max_rss_kb", "queued_ms"}


def run(code, *args, **more):
    return call("run", "-c", code, *args, **more)


class Streams(CliCase):
    def test_bytes_pass_as_they_are(self):
        p = run("import sys; sys.stdout.buffer.write(bytes(range(256)) * 3); sys.stderr.buffer.write(b'\\xff\\x00e')")
        self.assertEqual((p.returncode, p.out, p.stderr), (0, bytes(range(256)) * 3, b"\xff\x00e"))

    def test_the_last_value_is_not_for_pipes(self):
        p = run("print('out')\n6 * 7")
        self.assertEqual((p.returncode, p.out, p.err), (0, b"out\n", ""))

    def test_the_last_value_is_for_people(self):
        for code, shown in (("6 * 7", b"42\r\n"), ("print('a', end=''); 'b'", b"a\r\n'b'\r\n"), ("print('a'); None", b"a\r\n")):
            t = self.terminal()
            p = self.start("run", "-c", code, stdin=subprocess.DEVNULL, stdout=t.there)
            self.assertEqual(p.wait(LIMIT), 0)
            os.close(t.there)
            self.assertEqual(read_until(t.here, None), shown)

    def test_output_comes_while_the_program_runs(self):
        p = self.start("run", "-c", "print('now'); input(); print('then')")
        self.assertEqual(read_until(p.stdout.fileno(), b"\n"), b"now\n")
        p.stdin.write(b"\n")
        self.assertEqual(read_until(p.stdout.fileno(), None), b"then\n")
        self.assertEqual(p.wait(LIMIT), 0)

    def test_more_than_is_kept_of_a_call(self):
        n = 30_000_000
        p = run(f"import sys\nfor i in range({n // 100}): sys.stdout.write('%099d\\n' % i)", RUNNER_MAX_OUTPUT_CHARS="100")
        self.assertEqual((p.returncode, p.err), (0, ""))
        self.assertEqual(p.out, b"".join(b"%099d\n" % i for i in range(n // 100)))

    def test_both_streams_in_full(self):
        code = "import sys\nfor i in range(20000):\n print(i)\n print(i, file=sys.stderr)"
        p = run(code)
        want = "".join(f"{i}\n" for i in range(20000))
        self.assertEqual((p.returncode, p.out.decode(), p.err), (0, want, want))

    def test_output_to_a_file(self):
        path = self.file("before\n", "out")
        with open(path, "ab") as f:
            p = subprocess.run([BIN, "run", "-c", "print('after')"], env=env(), stdout=f, stderr=f, stdin=subprocess.DEVNULL, timeout=LIMIT)
        self.assertEqual(p.returncode, 0)
        with open(path, "rb") as f:
            self.assertEqual(f.read(), b"before\nafter\n")

    def test_pipes_of_others_stay_blocking(self):
        r, w = os.pipe()
        p = subprocess.run([BIN, "run", "-c", "print(1)"], env=env(), stdin=subprocess.DEVNULL, stdout=w, timeout=LIMIT)
        self.assertEqual(p.returncode, 0)
        self.assertFalse(fcntl.fcntl(w, fcntl.F_GETFL) & os.O_NONBLOCK)
        self.assertFalse(fcntl.fcntl(r, fcntl.F_GETFL) & os.O_NONBLOCK)
        os.close(r)
        os.close(w)


class Input(CliCase):
    def test_ours_is_the_programs(self):
        p = run("import sys; print(sys.stdin.read().upper())", stdin=b"some words")
        self.assertEqual((p.returncode, p.out), (0, b"SOME WORDS\n"), p.err)
        p = run("import sys; print(len(sys.stdin.buffer.read()))", stdin=b"x" * 5_000_000)
        self.assertEqual(p.out, b"5000000\n", p.err)

    def test_what_the_program_leaves_stays_there(self):
        path = self.file("one\ntwo\n", "in")
        with open(path, "rb", buffering=0) as f:
            p = run("import os; print(os.read(0, 4))", stdin=f)
            self.assertEqual(p.out, b"b'one\\n'\n", p.err)
            self.assertEqual(f.read(), b"two\n")

    def test_a_terminal_is_not(self):
        t = self.terminal()
        p = run("import sys; print(repr(sys.stdin.read()))", stdin=t.there)
        self.assertEqual((p.returncode, p.out), (0, b"''\n"), p.err)

    def test_the_program_on_standard_input(self):
        for args in (["run", "-"], ["run"]):
            p = call(*args, stdin=b"import sys; print(repr(sys.stdin.read()))")
            self.assertEqual((p.returncode, p.out), (0, b"''\n"), p.err)

    def test_nothing_to_run_on_a_terminal(self):
        t = self.terminal()
        self.assert_usage(call("run", stdin=t.there), "nothing to run", "-c CODE")

    def test_a_program_typed_on_a_terminal(self):
        t = self.terminal()
        p = self.start("run", "-", stdin=t.there)
        os.write(t.here, b"print('typed')\n\x04")
        self.assertEqual(read_until(p.stdout.fileno(), None), b"typed\n")

    def test_closed_standard_input(self):
        p = subprocess.run(["/bin/sh", "-c", 'exec "$0" run -c "import sys; print(repr(sys.stdin.read()))" <&-', BIN],
                           env=env(), capture_output=True, timeout=LIMIT)
        self.assertEqual((p.returncode, p.stdout), (0, b"''\n"), p.stderr)


class Files(CliCase):
    def test_a_file(self):
        p = call("run", self.file("print('from a file')"))
        self.assertEqual((p.returncode, p.out), (0, b"from a file\n"), p.err)

    def test_bytes_of_another_encoding(self):
        p = call("run", self.file("# -*- coding: latin-1 -*-\nprint(ascii('é'))\n".encode("latin-1")))
        self.assertEqual((p.returncode, p.out), (0, b"'\\xe9'\n"), p.err)
        p = call("run", self.file(b"print('\xff')"))
        self.assertEqual(p.returncode, 1)
        self.assertIn("SyntaxError", p.err)

    def test_a_pipe(self):
        path = os.path.join(self.folder(), "pipe")
        os.mkfifo(path)
        p = self.start("run", path)
        with open(path, "wb") as f:
            f.write(b"print('through a pipe')")
        self.assertEqual(read_until(p.stdout.fileno(), None), b"through a pipe\n")

    def test_nothing_at_all(self):
        p = call("run", self.file(""))
        self.assertEqual((p.returncode, p.out, p.err), (0, b"", ""))

    def test_what_can_not_be_read(self):
        folder = self.folder()
        for path, reason in ((os.path.join(folder, "none"), "No such file"), (folder, "Is a directory")):
            p = call("run", path)
            self.assertEqual((p.returncode, p.out), (125, b""))
            self.assertEqual(p.err.count("\n"), 1)
            self.assertIn(f"can't read {path}: {reason}", p.err)
        p = call("run", self.file(b"#" * (1 << 20) + b"#"), RUNNER_MAX_REQUEST_MB="1")
        self.assertEqual((p.returncode, p.out), (125, b""))
        self.assertIn("longer than 1 MB", p.err)
        self.assertIn("RUNNER_MAX_REQUEST_MB", p.err)

    def test_the_longest_that_is_allowed(self):
        code = b"print('x')\n"
        p = call("run", self.file(b"#" * ((1 << 20) - len(code) - 1) + b"\n" + code), RUNNER_MAX_REQUEST_MB="1")
        self.assertEqual((p.returncode, p.out), (0, b"x\n"), p.err)


class Ends(CliCase):
    def test_exit_codes(self):
        for code, status in (("pass", 0), ("raise SystemExit(3)", 3), ("import os; os._exit(77)", 77), ("1 / 0", 1), ("exit(255)", 255), ("(", 1)):
            with self.subTest(code):
                self.assertEqual(run(code).returncode, status)

    def test_a_traceback_is_the_programs(self):
        p = run("def f():\n    return 1 / 0\nf()")
        self.assertEqual(p.returncode, 1)
        self.assertIn("ZeroDivisionError", p.err)
        self.assertNotIn("python-runner-mcp", p.err)

    def test_signals(self):
        for name, number in (("SIGSEGV", 11), ("SIGABRT", 6), ("SIGTERM", 15), ("SIGKILL", 9)):
            with self.subTest(name):
                p = run(f"import os, signal; os.kill(os.getpid(), signal.{name})")
                self.assertEqual((p.returncode, p.err), (128 + number, f"python-runner-mcp: the program was ended by signal {number} ({name})\n"))

    def test_timeout(self):
        begun = time.monotonic()
        p = run("print('before')\nimport time; time.sleep(60)", "--timeout", "0.5")
        self.assertLess(time.monotonic() - begun, 5 * SLOW)
        self.assertEqual((p.returncode, p.out, p.err), (124, b"before\n", "python-runner-mcp: timeout: killed after 0.5s\n"))

    def test_our_sentence_has_a_line_of_its_own(self):
        p = run("import sys; sys.stderr.write('half a line'); sys.stderr.flush()\nwhile True: pass", "--timeout", "0.2")
        self.assertEqual(p.err, "half a line\npython-runner-mcp: timeout: killed after 0.2s\n")

    def test_cpu_limit(self):
        p = run("while True: pass", "--timeout", "30", RUNNER_MAX_CPU_SECONDS="1")
        self.assertEqual((p.returncode, p.err), (152, "python-runner-mcp: cpu limit: 1s exceeded\n"))

    def test_more_time_than_is_allowed(self):
        p = run("while True: pass", "--timeout", "100", RUNNER_MAX_TIMEOUT_SEC="0.3")
        self.assertEqual(p.returncode, 124)
        self.assertEqual(p.err, "python-runner-mcp: --timeout 100s is more than RUNNER_MAX_TIMEOUT_SEC allows: capped to 0.3s\n"
                                "python-runner-mcp: timeout: killed after 0.3s\n")

    def test_the_runner_fails(self):
        folder = self.folder()
        gone = os.path.join(folder, "gone")
        os.mkdir(gone)
        path = os.path.join(folder, "pipe")
        os.mkfifo(path)
        p = self.start("run", path, TMPDIR=gone, RUNNER_SANDBOX="rlimits", stdin=subprocess.DEVNULL)
        with open(path, "wb") as f:  # opens when the other side does: the configuration has been read
            os.rmdir(gone)
            open(gone, "w").close()
            f.write(b"print(1)")
        out, err = p.communicate(timeout=LIMIT)
        self.assertEqual((p.returncode, out), (125, b""), err)
        self.assertIn(b"could not be set up", err)
        self.assertEqual(err.count(b"\n"), 1, err)

    def test_what_a_signal_to_us_ends(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                p = self.start("run", "-c", "import os, time; print(os.getpid()); time.sleep(60)")
                read_until(p.stdout.fileno(), b"\n")
                below = procs.descendants(p.pid)
                self.assertGreater(len(below), 1)
                begun = time.monotonic()
                p.send_signal(number)
                self.assertEqual(p.wait(LIMIT), 128 + number)
                self.assertLess(time.monotonic() - begun, 2 * SLOW)
                for pid in below:
                    self.assert_gone(pid)

    def test_nothing_is_left(self):
        folder = self.folder()
        p = run(f"import subprocess; print(subprocess.Popen(['sleep', '97.125'], start_new_session={not mcp.POSIX}).pid)", TMPDIR=folder)
        self.assertEqual(p.returncode, 0, p.err)
        self.assertTrue(procs.wait_until(lambda: not procs.with_argument("97.125"), 1 * SLOW), "a child outlives the run")
        self.assertEqual(os.listdir(folder), [])


# Memory that was freed and is only held back by a sanitizer is not of interest.
NO_QUARANTINE = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=8"


class Readers(CliCase):
    def test_a_slow_reader_gets_everything(self):
        n = 20_000_000
        p = self.start("run", "-c", f"import sys; sys.stdout.write('x' * {n}); sys.stderr.write('done')", stdin=subprocess.DEVNULL)
        fd = p.stdout.fileno()
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)
        got = 0
        while True:
            data = os.read(fd, 3000 if got < 3_000_000 else 1 << 16)
            if not data:
                break
            self.assertEqual(data.strip(b"x"), b"")
            got += len(data)
        self.assertEqual((got, p.wait(LIMIT), p.stderr.read()), (n, 0, b"done"))

    def test_the_clock_goes_on_when_nobody_reads(self):
        p = self.start("run", "--timeout", "1", "-c", "import sys\nwhile True: sys.stdout.write('x' * 100000)", stdin=subprocess.DEVNULL,
                       ASAN_OPTIONS=NO_QUARANTINE)
        begun = time.monotonic()
        self.assertIn(b"timeout: killed after 1s", read_until(p.stderr.fileno(), b"\n"))
        self.assertLess(time.monotonic() - begun, 4 * SLOW)
        self.assertIsNone(p.poll(), "what the program wrote has still to be read")
        self.assertLess(procs.peak_kb(p.pid), 64 * 1024 * SLOW)
        self.assertEqual(read_until(p.stdout.fileno(), None).strip(b"x"), b"")
        self.assertEqual(p.wait(LIMIT), 124)

    def test_memory_stays_flat(self):
        p = self.start("run", "--timeout", "60", "-c", "import os\nb = b'x' * (1 << 20)\nfor i in range(500): os.write(1, b)", stdin=subprocess.DEVNULL,
                       ASAN_OPTIONS=NO_QUARANTINE)
        got = peak = 0
        while True:
            data = os.read(p.stdout.fileno(), 1 << 20)
            if not data:
                break
            got += len(data)
            if got % 64 == 0:
                peak = max(peak, procs.peak_kb(p.pid))
        self.assertEqual((got, p.wait(LIMIT)), (500 << 20, 0))
        self.assertGreater(peak, 0)
        self.assertLess(peak, 64 * 1024 * SLOW)

    def test_a_reader_that_goes_away_ends_the_run(self):
        p = self.start("run", "-c", "while True: print('y')", stdin=subprocess.DEVNULL)
        read_until(p.stdout.fileno(), b"y\n")
        below = procs.descendants(p.pid)
        p.stdout.close()
        self.assertEqual(p.wait(LIMIT), 128 + signal.SIGPIPE)
        for pid in below:
            self.assert_gone(pid)

    def test_output_that_can_not_be_written_is_no_success(self):
        for args in ((), ("--format", "json")):
            with self.subTest(args), open("/dev/full", "wb") as full:
                p = subprocess.run([BIN, "run", "-c", "print('lost')", *args], env=env(), stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                   timeout=LIMIT)
                self.assertEqual(p.returncode, 128 + signal.SIGPIPE)
                self.assertIn(b"writing the output failed: No space left on device", p.stderr)
                self.assertNotIn(b"server", p.stderr)

    def test_nobody_reads_stderr(self):
        p = self.start("run", "-c", "import sys\nprint('a', file=sys.stderr)\ninput()\nprint('b', file=sys.stderr)\nprint('out')")
        read_until(p.stderr.fileno(), b"a\n")
        p.stderr.close()
        p.stdin.write(b"\n")
        self.assertEqual(read_until(p.stdout.fileno(), None), b"out\n")
        self.assertEqual(p.wait(LIMIT), 0)


class Json(CliCase):
    def doc(self, p):
        self.assertEqual(p.out.count(b"\n"), 1, p.out)
        doc = json.loads(p.out)
        self.assertEqual(set(doc), FINISHED | {"stdout", "stderr", "result"})
        return doc

    def test_an_ordinary_end(self):
        p = run("import sys\nprint('o')\nprint('e', file=sys.stderr)\n[1, 2]", "--format", "json")
        doc = self.doc(p)
        self.assertEqual((p.returncode, p.err), (0, ""))
        self.assertEqual([doc[k] for k in ("stdout", "stderr", "result", "status", "exit_code", "signal")],
                         ["o\n", "e\n", "[1, 2]", "exited", 0, None])
        self.assertRegex(doc["request_id"], r"\A[0-9a-f]{8}\Z")
        self.assertGreater(doc["duration_ms"], 0)

    def test_other_ends(self):
        p = run("exit(3)", "--format", "json")
        self.assertEqual((p.returncode, self.doc(p)["exit_code"], self.doc(p)["result"]), (3, 3, None))
        p = run("print(1)\nwhile True: pass", "--format", "json", "--timeout", "0.3")
        doc = self.doc(p)
        self.assertEqual((p.returncode, doc["status"], doc["exit_code"], doc["stdout"]), (124, "timeout", None, "1\n"))
        p = run("import os; os.abort()", "--format", "json")
        doc = self.doc(p)
        self.assertEqual((p.returncode, doc["status"], doc["signal"]), (134, "signaled", 6))

    def test_much_output_is_cut(self):
        p = run("print('é' * 1000000)", "--format", "json", RUNNER_MAX_OUTPUT_CHARS="1000")
        self.assertIn("characters omitted", self.doc(p)["stdout"])
        self.assertLess(len(p.out), 10000)

    def test_bytes_that_are_no_text(self):
        p = run("import sys; sys.stdout.buffer.write(b'a\\xffb\\x00')", "--format", "json")
        self.assertEqual(self.doc(p)["stdout"], "a\ufffdb\0")


class Surroundings(CliCase):
    def test_nothing_of_ours_leaks_in(self):
        r, w = os.pipe()
        try:
            p = run("import os\nprint(sorted(k for k in os.environ if 'SECRET' in k or k.startswith('RUNNER')))\nprint(sorted(os.listdir('/proc/self/fd'), key=int)[:3], len(os.listdir('/proc/self/fd')))",
                    MY_SECRET="x", RUNNER_MAX_QUEUE="7", pass_fds=(r, w))
        finally:
            os.close(r)
            os.close(w)
        # The fourth is the one that lists the folder.
        self.assertEqual(p.out, b"[]\n['0', '1', '2'] 4\n", p.err)

    def test_no_core(self):
        p = run("import resource; print(resource.getrlimit(resource.RLIMIT_CORE))",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (4096, resource.getrlimit(resource.RLIMIT_CORE)[1])) if resource.getrlimit(resource.RLIMIT_CORE)[1] != 0 else None)
        self.assertIn(p.out, (b"(0, 0)\n", b"(1, 1)\n"), p.err)

    def test_signals_that_our_parent_ignored_or_blocked(self):
        def spoil():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())

        p = run("import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getsignal(signal.SIGCHLD))\nraise SystemExit(5)", preexec_fn=spoil)
        self.assertEqual((p.returncode, p.out), (5, b"set() 0\n"), p.err)

    def test_a_strict_mask_of_the_parent(self):
        p = run("import os; print(oct(os.umask(0))); open('f', 'w').close(); print(open('f').read() == '')", preexec_fn=lambda: os.umask(0o777))
        self.assertEqual((p.returncode, p.out), (0, b"0o22\nTrue\n"), p.err)

    def test_as_an_ordinary_user(self):
        folder = self.folder()
        binary = copy_program(folder)
        temp = os.path.join(folder, "temp")
        os.mkdir(temp)
        os.chmod(temp, 0o1777)
        code = "import os; print(os.getuid()); print(open('f', 'w').write('abc')); raise SystemExit(4)"
        p = subprocess.run(as_user([binary, "run", "-c", code]), env=env(TMPDIR=temp, HOME="/", RUNNER_SANDBOX="rlimits"), capture_output=True, timeout=LIMIT, cwd="/",
                           stdin=subprocess.DEVNULL)
        uid = NOBODY if os.geteuid() == 0 else os.geteuid()
        self.assertEqual((p.returncode, p.stdout.decode()), (4, f"{uid}\n3\n"), p.stderr)
        self.assertEqual(os.listdir(temp), [])
        p = subprocess.run(as_user([binary, "run", "--timeout", "0.3", "-c", "while True: pass"]), env=env(TMPDIR=temp, HOME="/"), capture_output=True,
                           timeout=LIMIT, cwd="/", stdin=subprocess.DEVNULL)
        self.assertEqual((p.returncode, os.listdir(temp)), (124, []), p.stderr)


if __name__ == "__main__":
    unittest.main()
