"""The twenty traps that real users of MCP servers hit, one test each."""
import json
import os
import subprocess
import time

import mcp
import procs
import schema
from cases import ServerCase


class Traps(ServerCase):
    def test_trap_01_a_child_inherits_the_protocol(self):
        c = self.client()
        i = c.call("import sys, os, subprocess\nprint(repr(sys.stdin.read()))\nos.write(1, b'raw\\n')\n"
                   "print(subprocess.run(['cat'], capture_output=True).stdout)\nos.system('echo child')\n"
                   "print(os.readlink('/proc/self/fd/0'))")
        j = c.request("ping")
        c.answer(j)
        o = c.outcome(i)
        self.assertEqual(o.stdout, "''\nraw\nb''\nchild\n/dev/null\n")

    def test_trap_02_a_grandchild_holds_the_pipe(self):
        c = self.client()
        t = time.monotonic()
        o = c.run("import subprocess; subprocess.Popen('sleep 97001.5 & sleep 97001.5', shell=True); print('parent')", timeout=30)
        self.assertEqual(o.stdout, "parent\n")
        self.assertLess(time.monotonic() - t, 5 * mcp.SLOW)
        self.assert_none_left(c, "97001.5")
        o = c.run("import subprocess, time; subprocess.Popen('sleep 97002.5 & sleep 97002.5', shell=True); time.sleep(60)", timeout=0.5)
        self.assertEqual(o.status, "timeout")
        self.assert_none_left(c, "97002.5")

    def test_trap_03_no_exit_at_the_end_of_stdin(self):
        c = self.client()
        c.run("1")
        c.close_stdin()
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)
        c = self.client()
        c.start_marked("print('started'); import time; time.sleep(60)")
        c.close_stdin()
        time.sleep(0.3)
        self.assertLess(procs.cpu_seconds(c.pid), 0.25 * mcp.SLOW, "no busy loop while the last calls are awaited")
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)

    def test_trap_04_sigpipe(self):
        c = self.client()
        # A program that closes its stdin early, one that ends while stdin is still written to it
        o = c.run("import os; os.close(0); print('closed')", stdin="x" * 1_000_000)
        self.assertEqual(o.stdout, "closed\n")
        c.alive()
        p = subprocess.Popen([mcp.SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=mcp.client_env({"TMPDIR": c.tmp}))
        p.stdout.close()
        p.stderr.close()
        p.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 100)
        try:
            p.stdin.close()
        except BrokenPipeError:
            pass
        self.assertEqual(p.wait(5 * mcp.SLOW), 0)

    def test_trap_05_no_banner_on_stdout(self):
        for env in ({}, {"RUNNER_LOG_LEVEL": "DEBUG"}):
            c = self.client(env, revision=None)
            c.wait_log("", 10) if env else None
            self.assertEqual(c.messages, [])
            c.alive()

    def test_trap_06_line_separators_are_escaped(self):
        c = self.client()
        o = c.run("print('a\\u2028b\\u2029c\\x85d\\x0be'); '\\u2028'")  # mcp.Client looks for raw ones
        self.assertEqual(o.stdout, "a\u2028b\u2029c\x85d\x0be\n")
        self.assertEqual(c.ask("ping", i="\u2028id")["id"], "\u2028id")
        e = c.error("no\u2028such")
        self.assertEqual(e["code"], -32601)

    def test_trap_07_no_lone_surrogate_leaves(self):
        c = self.client()
        for code in (r"import os; os.write(1, b'\xed\xa0\x80\n')", "print('\\ud800')", "'\\udc80'",
                     "import sys; sys.stdout.reconfigure(errors='surrogatepass'); print('\\ud800')",
                     "raise Exception('\\ud800')", "import sys; sys.exit('\\udfff')"):
            c.run(code)  # mcp.Client refuses messages that are no Unicode text

    def test_trap_08_notifications_are_not_answered(self):
        c = self.client()
        n = len(c.messages)
        for method in ("notifications/unknown", "nonsense", "tools/call", "notifications/cancelled"):
            c.notify(method)
            c.notify(method, {"x": 1})
        c.alive()
        self.assertEqual(len(c.messages), n + 1)

    def test_trap_09_ids_keep_their_type(self):
        c = self.client()
        for i in (0, "0", 7, "7", -1, 2**53 + 1, ""):
            got = c.ask("ping", i=i)["id"]
            self.assertEqual((type(got), got), (type(i), i))

    def test_trap_10_no_answer_after_a_cancel(self):
        for revision in ("2025-06-18", schema.MODERN):
            c = self.client(revision=revision)
            i = c.start_marked("print('started'); import time; time.sleep(0.5)")
            c.cancel(i)
            self.assert_none_left(c)
            c.run("import time; time.sleep(0.6)")
            self.assertEqual(c.answers(i), [])

    def test_trap_11_no_progress_with_or_after_the_answer(self):
        c = self.client()
        for n in range(15):
            i = c.call(f"import time\nprint('a')\ntime.sleep({n % 3 * 0.1 + 0.1})\nprint('b')", None, {"progressToken": n})
            c.outcome(i)
        c.run("import time; time.sleep(0.5)")  # mcp.Client takes any that comes now for a fault

    def test_trap_12_no_serial_dispatch(self):
        c = self.client({"RUNNER_MAX_CONCURRENT": "1"})
        i = c.start_marked("print('started'); import time; time.sleep(60)", timeout=60)
        j = c.call("print('waits')")
        t = time.monotonic()
        c.alive()
        c.result("tools/list")
        self.assertLess(time.monotonic() - t, 0.5 * mcp.SLOW)
        c.cancel(i)
        self.assertEqual(c.outcome(j, 3 * mcp.SLOW).stdout, "waits\n")

    def test_trap_13_empty_lists_instead_of_errors(self):
        for revision in schema.REVISIONS:
            c = self.client(revision=revision)
            self.assertEqual(c.result("prompts/list")["prompts"], [])
            self.assertEqual(c.result("resources/list")["resources"], [])
            self.assertEqual(c.result("resources/templates/list")["resourceTemplates"], [])

    def test_trap_14_discover_before_initialize(self):
        for meta in (None, mcp.envelope(), {mcp.ENVELOPE + "protocolVersion": schema.MODERN}):
            c = self.client(revision=None)
            m = c.ask("server/discover", {"_meta": meta} if meta else None)
            self.assertTrue("result" in m or "error" in m)
            self.assertEqual(c.initialize("2025-11-25")["protocolVersion"], "2025-11-25")
            self.assertEqual(c.run("1").result, "1\n")

    def test_trap_15_output_schema_and_structured_content_go_together(self):
        for env in ({}, {"RUNNER_STRUCTURED_OUTPUT": "true"}):
            c = self.client(env)
            tool = c.result("tools/list")["tools"][0]
            r = c.run("print(1)").raw
            self.assertEqual("outputSchema" in tool, "structuredContent" in r)
            if env:
                self.assertEqual(schema.check_value(tool["outputSchema"], r["structuredContent"]), [])

    def test_trap_16_no_combinators_at_the_root(self):
        for env in ({}, {"RUNNER_STRUCTURED_OUTPUT": "true"}):
            for tool in self.client(env).result("tools/list")["tools"]:
                for s in (tool["inputSchema"], tool.get("outputSchema", {})):
                    self.assertFalse({"oneOf", "anyOf", "allOf", "not", "if", "$ref"} & set(s))

    def test_trap_17_nobody_reads_stderr(self):
        c = self.client({"RUNNER_LOG_LEVEL": "DEBUG"}, read_stderr=False)
        for batch in range(10):
            calls = [c.call("1") for _ in range(60)]
            for i in calls:
                c.outcome(i)
        # More than a pipe holds has been logged by now, or would have been
        self.assertEqual(c.run("print('alive')").stdout, "alive\n")

    def test_trap_18_no_reply_over_10_mib(self):
        limit = None
        for chars in ("10000000", "1000000"):  # the most that is allowed, whichever of these it is
            p = subprocess.run([mcp.SERVER], stdin=subprocess.DEVNULL, capture_output=True, env=mcp.client_env({"RUNNER_MAX_OUTPUT_CHARS": chars}))
            if p.returncode == 0:
                limit = chars
                break
        self.assertIsNotNone(limit)
        for structured in ("false", "true"):
            c = self.client({"RUNNER_MAX_OUTPUT_CHARS": limit, "RUNNER_STRUCTURED_OUTPUT": structured, "RUNNER_MAX_MEMORY_MB": "1024"})
            for unit in ("'\\x01'", "'🐍'", "'\\u2028'"):  # 6 bytes of JSON a character, 4, 6
                o = c.run(f"import sys\nt = {unit} * 3_000_000\nsys.stdout.write(t); sys.stderr.write(t)\nt", timeout=30)
                self.assertEqual(o.meta["stdout"]["truncated"], True)  # mcp.Client refuses lines of more than 10 MiB

    def test_trap_19_long_lines(self):
        c = self.client()
        for size in (4095, 4096, 4097, 65535, 65536, 65537, 1_000_000, 8_000_000):
            o = c.run("s = '" + "x" * size + "'\nprint(len(s))")
            self.assertEqual(o.stdout, f"{size}\n")
        c.expect("long")
        c.send_raw(b'{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"x":"' + b"y" * (17 << 20) + b'"}}\n')
        self.assertIn("error", c.answer("long"))
        c.alive()

    def test_trap_20_crlf(self):
        c = self.client(revision=None)
        c.send({"jsonrpc": "2.0", "id": 1, "method": "ping"}, end=b"\r\n")
        c.answer(1)
        c.initialize("2025-11-25")
        c.run("print('a\\r\\nb\\r\\n')")  # mcp.Client refuses lines that end in CR LF


class Clients(ServerCase):
    """How clients close a server, and what else they do to it as a whole."""

    def test_stdin_end_then_sigterm_then_sigkill(self):
        import signal
        c = self.client()
        c.start_marked("import signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\nprint('started')\ntime.sleep(60)", timeout=60)
        c.close_stdin()
        time.sleep(0.1)
        c.proc.send_signal(signal.SIGTERM)
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)

    def test_two_servers_side_by_side(self):
        a, b = self.client(), self.client()
        i, j = a.call("import time; time.sleep(0.3); print('a')"), b.call("import time; time.sleep(0.3); print('b')")
        self.assertEqual((a.outcome(i).stdout, b.outcome(j).stdout), ("a\n", "b\n"))

    def test_stdin_and_stdout_are_one_socket(self):
        """Some clients start servers on a socket pair instead of pipes."""
        import socket
        import tempfile
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryDirectory() as d:
            p = subprocess.Popen([mcp.SERVER], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=mcp.client_env({"TMPDIR": d}))
            theirs.close()
            ours.settimeout(10 * mcp.SLOW)
            ours.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            with ours.makefile("rb") as f:
                self.assertEqual(json.loads(f.readline()), {"jsonrpc": "2.0", "id": 1, "result": {}})
                ours.shutdown(socket.SHUT_WR)
                self.assertEqual(f.read(), b"")
            self.assertEqual(p.wait(3 * mcp.SLOW), 0)
            ours.close()

    def test_stdin_is_a_file(self):
        import tempfile
        with tempfile.TemporaryDirectory() as d, tempfile.TemporaryFile() as f, tempfile.TemporaryFile() as out:
            f.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            f.seek(0)
            p = subprocess.run([mcp.SERVER], stdin=f, stdout=out, stderr=subprocess.PIPE, env=mcp.client_env({"TMPDIR": d}), timeout=10 * mcp.SLOW)
            self.assertEqual(p.returncode, 0, p.stderr)
            out.seek(0)
            self.assertEqual(json.loads(out.read())["id"], 1)

    def test_pipes_stay_blocking_for_others(self):
        """O_NONBLOCK on a shared description would break whoever else holds it."""
        import fcntl
        r, w = os.pipe()
        p = subprocess.Popen([mcp.SERVER], stdin=subprocess.PIPE, stdout=w, stderr=subprocess.DEVNULL, env=mcp.client_env())
        p.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        p.stdin.flush()
        os.read(r, 1000)
        self.assertEqual(fcntl.fcntl(w, fcntl.F_GETFL) & os.O_NONBLOCK, 0)
        p.stdin.close()
        self.assertEqual(p.wait(3 * mcp.SLOW), 0)
        os.close(r)
        os.close(w)
