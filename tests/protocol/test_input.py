"""Bad input: a clear error, or nothing where the protocol says nothing, and the next call works."""
import json
import threading
import time

import mcp
import procs
import schema
from cases import ServerCase, SharedServerCase


def call_line(i, code, **params):
    return json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call",
                       "params": {"name": "run_python", "arguments": {"code": code}, **params}}).encode()


class Lines(SharedServerCase):
    def answer_or_unaddressed(self, raw, i):
        """Sends a line that carries id i; the answer carries it too."""
        self.c.expect(i, "ping")
        self.c.send_raw(raw)
        m = self.c.answer(i)
        self.c.alive()
        return m

    def unaddressed(self, raw, timeout=None):
        before = len(self.c.unaddressed())
        self.c.send_raw(raw)
        self.c.wait(lambda: len(self.c.unaddressed()) > before, f"an error without id for {raw[:60]!r}", timeout)
        self.c.alive()
        return self.c.unaddressed()[-1]["error"]

    def test_crlf_is_accepted(self):
        self.c.send({"jsonrpc": "2.0", "id": "crlf", "method": "ping"}, end=b"\r\n")
        self.c.note_request({"id": "crlf2", "method": "ping"})
        self.c.send_raw(b'{"jsonrpc":"2.0","id":"crlf2","method":"ping"} \t \r\n')
        self.assertIn("result", self.c.answer("crlf"))
        self.assertIn("result", self.c.answer("crlf2"))

    def test_blank_lines_are_ignored(self):
        n = len(self.c.messages)
        self.c.send_raw(b"\n\r\n\n   \n\t\n")
        self.c.alive()
        self.assertEqual(len(self.c.messages), n + 1)

    def test_one_byte_at_a_time(self):
        self.c.note_request({"id": "slow", "method": "ping"})
        for b in b'{"jsonrpc":"2.0","id":"slow","method":"ping"}\n':
            self.c.send_raw(bytes([b]))
        self.assertIn("result", self.c.answer("slow"))

    def test_a_thousand_in_one_write(self):
        ids = [f"many-{n}" for n in range(1000)]
        for i in ids:
            self.c.expect(i, "ping")
        self.c.send_raw(b"".join(b'{"jsonrpc":"2.0","id":"%s","method":"ping"}\n' % i.encode() for i in ids))
        for i in ids:
            self.c.answer(i)

    def test_half_a_line_then_silence_then_the_rest(self):
        self.c.note_request({"id": "half", "method": "ping"})
        self.c.send_raw(b'{"jsonrpc":"2.0","id":"ha')
        time.sleep(0.3)  # silence is what is tried here
        self.assertEqual(self.c.answers("half"), [])
        self.c.send_raw(b'lf","method":"ping"}\n')
        self.assertIn("result", self.c.answer("half"))

    def test_deep_nesting(self):
        deep = b"[" * 100_000 + b"]" * 100_000
        m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"a":' + deep + b"}}\n", "deep")
        self.assertIn(m["error"]["code"], (-32700, -32600))
        m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","method":"ping","params":{"a":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 +
                                       b'},"id":"deep2"}\n', "deep2")
        self.assertIn(m["error"]["code"], (-32700, -32600))
        self.unaddressed(deep + b"\n")
        self.unaddressed(b"[" * 1_000_000 + b"\n")
        self.unaddressed(b'{"a":' * 200_000 + b"\n")

    def test_some_nesting_is_fine(self):
        m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","id":"nest","method":"ping","params":{"a":' + b"[" * 200 + b"]" * 200 + b"}}\n", "nest")
        self.assertIn("result", m)

    def test_huge_numbers(self):
        for n, number in enumerate((b"1e999", b"-1e999", b"9" * 400, b"1" + b"0" * 5000, b"0." + b"1" * 5000, b"1e-999", b"-0", b"1E+2",
                                    b"18446744073709551616")):
            with self.subTest(number[:24]):
                i = f"huge-{n}"
                m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","id":"%s","method":"ping","params":{"x":%s}}\n' % (i.encode(), number), i)
                self.assertTrue("result" in m or m["error"]["code"] in (-32700, -32600, -32602))

    def test_numbers_that_are_none(self):
        for n, number in enumerate((b"NaN", b"Infinity", b"-Infinity", b"01", b"1.", b".5", b"+1", b"0x10", b"1e")):
            with self.subTest(number):
                i = f"nan-{n}"
                m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","id":"%s","method":"ping","params":{"x":%s}}\n' % (i.encode(), number), i)
                self.assertEqual(m["error"]["code"], -32700)

    def test_nul(self):
        m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","id":"nul","method":"pi\0ng"}\n', "nul")
        self.assertEqual(m["error"]["code"], -32700)
        self.unaddressed(b"\0\n")
        self.unaddressed(b"\0" * 5000 + b"\n")
        m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","id":"nul2","method":"ping\\u0000"}\n', "nul2")
        self.assertIn(m["error"]["code"], (-32601, -32600))
        m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","id":"nul\\u0000id","method":"ping"}\n', "nul\0id")
        self.assertIn("result", m)

    def test_nul_in_the_code(self):
        self.c.expect("nulcode")
        self.c.send_raw(call_line("nulcode", "print('a')\0\nprint('b')") + b"\n")
        o = self.c.outcome("nulcode")
        self.assertTrue(o.is_error or o.exit_code == 1, o)
        self.assertEqual(self.c.run("print('a\\0b')").stdout, "a\0b\n")

    def test_lone_surrogates(self):
        for n, text in enumerate((b"\\ud800", b"\\udc00", b"\\udc00\\ud800", b"a\\ud83dz", b"\\ud83d\\u0041")):
            with self.subTest(text):
                i = f"sur-{n}"
                self.c.expect(i)
                self.c.send_raw(b'{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"run_python","arguments":'
                                b'{"code":"print(\'%s\')"}}}\n' % (i.encode(), text))
                m = self.c.answer(i)
                self.assertTrue("result" in m or m["error"]["code"] in (-32700, -32602))
        self.c.alive()

    def test_surrogate_pairs_are_fine(self):
        self.c.expect("pair")
        self.c.send_raw(b'{"jsonrpc":"2.0","id":"pair","method":"tools/call","params":{"name":"run_python","arguments":'
                        b'{"code":"print(\'\\ud83d\\udc0d\')"}}}\n')
        self.assertEqual(self.c.outcome("pair").stdout, "🐍\n")

    def test_a_program_prints_surrogates(self):
        o = self.c.run("print('a' + chr(0xD83D) + 'b')")
        self.assertIn("UnicodeEncodeError", o.stderr)
        o = self.c.run("'\\ud83d'")
        self.assertIn("ud83d", o.result)

    def test_not_utf8(self):
        for n, raw in enumerate((b"\xff", b"\xc3", b"\xe2\x82", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80")):
            with self.subTest(raw):
                i = f"utf8-{n}"
                m = self.answer_or_unaddressed(b'{"jsonrpc":"2.0","id":"%s","method":"ping","params":{"x":"%s"}}\n' % (i.encode(), raw), i)
                self.assertEqual(m["error"]["code"], -32700)
        self.unaddressed(bytes(range(128, 256)) + b"\n")

    def test_utf16(self):
        self.c.send_raw('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16") + b"\n")
        self.c.send_raw(b"\n")
        self.c.alive()

    def test_duplicate_keys(self):
        i = "dup-key"
        self.c.expect(i, "ping")
        self.c.expect("other", "ping")
        self.c.send_raw(b'{"jsonrpc":"2.0","id":"other","id":"dup-key","method":"ping"}\n')
        self.c.wait(lambda: self.c.answers(i) or self.c.answers("other"), "an answer under one of the ids")
        self.c.alive()

    def test_duplicate_ids_in_flight(self):
        self.c.expect("twin")
        self.c.expect("twin")
        line = call_line("twin", "import time; time.sleep(0.3); print('twin')") + b"\n"
        self.c.send_raw(line + line)
        self.c.wait(lambda: len(self.c.answers("twin")) == 2, "both answers")
        kinds = ["result" in m for m in self.c.answers("twin")]
        self.assertIn(True, kinds)
        self.c.alive()

    def test_a_call_works_after_all_that(self):
        self.assertEqual(self.c.run("print('fine')").stdout, "fine\n")


class Garbage(ServerCase):
    def test_garbage(self):
        """Requests with random faults: whatever is answered is well-formed, and the server goes on."""
        import random
        c = self.client()
        rnd = random.Random(7)
        good = call_line("g", "1")
        for _ in range(300):
            raw = bytearray(good)
            for _ in range(rnd.randrange(1, 6)):
                kind, at = rnd.randrange(3), rnd.randrange(len(raw))
                if kind == 0:
                    raw[at] = rnd.randrange(256)
                elif kind == 1:
                    del raw[at:at + rnd.randrange(8)]
                else:
                    raw[at:at] = bytes(rnd.randrange(256) for _ in range(rnd.randrange(8)))
                raw = raw or bytearray(b"x")
            c.send_raw(bytes(raw) + b"\n")
            c.alive()
        self.assertEqual(c.run("print('fine')").stdout, "fine\n")  # in order: all calls before it have ended
        self.assert_none_left(c, within=3)
        with c.cond:  # the answers carry whatever id a mutation left
            c.faults[:] = [f for f in c.faults if "nobody waits for" not in f]


class Overlong(ServerCase):
    SIZE = 17 * 1024 * 1024

    def refused(self, m):
        self.assertIn(m["error"]["code"], (-32600, -32602, -32700))
        self.assertIn("16", m["error"]["message"])
        self.assertIn("RUNNER_MAX_REQUEST_MB", m["error"]["message"])

    def test_id_first(self):
        """The answer comes within a second of the limit being passed, though the line has not ended."""
        c = self.client()
        c.expect("first")
        c.send_raw(b'{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{"name":"run_python","arguments":{"code":"')
        block = b"x" * (1 << 20)
        for _ in range(17):
            c.send_raw(block)
        self.refused(c.answer("first", 1.0 * mcp.SLOW + 0.5))
        c.send_raw(b'"}}}\n')
        self.assertEqual(c.run("print('next')").stdout, "next\n")
        self.assertEqual(len(c.answers("first")), 1)

    def test_id_last(self):
        c = self.client()
        for i in ("last", 4711):
            c.expect(i)
            c.send_raw(b'{"method":"tools/call","params":{"name":"run_python","arguments":{"code":"' + b"x" * self.SIZE +
                       b'","id":"inner"},"id":5},"jsonrpc":"2.0","id":' + json.dumps(i).encode() + b"}\n")
            self.refused(c.answer(i, 1.0 * mcp.SLOW + 0.5))
        self.assertEqual(c.run("print('next')").stdout, "next\n")

    def test_id_within_strings_and_below_is_not_the_id(self):
        c = self.client()
        c.expect("real")
        c.send_raw(b'{"params":{"id":"wrong","x":"\\"id\\":\\"wrong\\"","y":[{"id":1}],"z":"' + b"x" * self.SIZE + b'"},"id" : "real" }\n')
        self.refused(c.answer("real"))

    def test_no_id(self):
        c = self.client()
        c.send_raw(b"x" * self.SIZE + b"\n")
        c.wait(lambda: c.unaddressed(), "an error without an id", 1 * mcp.SLOW)
        self.assertEqual(c.run("print('next')").stdout, "next\n")
        self.assertEqual(len(c.unaddressed()), 1)

    def test_a_long_notification_is_not_answered_twice(self):
        c = self.client()
        c.send_raw(b'{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"' + b"x" * self.SIZE + b'"}}\n')
        c.alive()
        self.assertLessEqual(len(c.unaddressed()), 1)

    def test_just_within_the_limit(self):
        c = self.client({"RUNNER_MAX_REQUEST_MB": "1"})
        head, tail = b'{"jsonrpc":"2.0","id":"fit","method":"ping","params":{"x":"', b'"}}'
        c.expect("fit", "ping")
        c.send_raw(head + b"x" * (2**20 - len(head) - len(tail)) + tail + b"\n")
        self.assertIn("result", c.answer("fit"))
        c.expect("over", "ping")
        c.send_raw(head.replace(b"fit", b"over") + b"x" * (2**20 - len(head) - len(tail) + 1) + tail + b"\n")
        self.assertIn("error", c.answer("over"))

    def test_others_are_answered_right_after(self):
        c = self.client({"RUNNER_MAX_REQUEST_MB": "1"})
        c.expect("big", "ping")
        c.expect("small", "ping")
        c.send_raw(b'{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"' + b"x" * (3 << 20) + b'"}}\n'
                   b'{"jsonrpc":"2.0","id":"small","method":"ping"}\n')
        self.assertIn("error", c.answer("big"))
        self.assertIn("result", c.answer("small"))

    def test_runs_go_on_meanwhile(self):
        c = self.client({"RUNNER_MAX_REQUEST_MB": "1"})
        i = c.call("import time; time.sleep(0.3); print('meanwhile')")
        for _ in range(64):
            c.send_raw(b"y" * (1 << 20))
        self.assertEqual(c.outcome(i).stdout, "meanwhile\n")
        c.send_raw(b"\n")
        c.alive()


class OverlongMemory(ServerCase):
    alone = True

    def test_skipped_not_stored(self):
        c = self.client({"RUNNER_MAX_REQUEST_MB": "1"})
        c.run("1")
        before = procs.rss_kb(c.pid)
        block = b"z" * (1 << 20)
        for _ in range(300):
            c.send_raw(block)
        c.send_raw(b"\n")
        c.alive()
        self.assertLess(procs.peak_kb(c.pid) - before, mcp.SANITIZED * 64 * 1024 + 12 * 1024)


class Client(ServerCase):
    """Clients that misbehave as a whole."""

    def test_end_of_stdin_when_idle(self):
        for revision in ("2025-11-25", schema.MODERN, None):
            c = self.client(revision=revision)
            if revision:
                c.alive()
            t = time.monotonic()
            c.close_stdin()
            self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)
            self.assertLess(c.exit_time - t, 1.0 * mcp.SLOW, "nothing runs: nothing to wait for")

    def test_end_of_stdin_before_anything(self):
        c = self.client(revision=None)
        c.close_stdin()
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)
        self.assertEqual(c.messages, [])

    def test_calls_already_read_get_up_to_a_second(self):
        c = self.client()
        i = c.call("import time; time.sleep(0.4); print('finished')")
        c.close_stdin()
        self.assertEqual(c.outcome(i).stdout, "finished\n")
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)

    def test_queued_calls_too(self):
        c = self.client({"RUNNER_MAX_CONCURRENT": "1"})
        calls = [c.call("print('done')") for _ in range(5)]
        c.close_stdin()
        self.assertEqual([c.outcome(i).stdout for i in calls], ["done\n"] * 5)
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)

    def test_a_whole_session_piped_in(self):
        """printf '...' | python-runner-mcp"""
        c = self.client(revision=None)
        i = c.message("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        j = c.message("tools/call", {"name": "run_python", "arguments": {"code": "print(6 * 7)"}})
        for m in (i, j):
            c.note_request(m)
        c.send_raw(json.dumps(i).encode() + b"\n" + b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n' + json.dumps(j).encode())
        c.close_stdin()  # the last line has no end
        c.wait_exit(2 * mcp.SLOW)
        self.assertEqual(c.outcome(j["id"]).stdout, "42\n")

    def test_longer_calls_are_killed(self):
        c = self.client()
        i = c.start_marked("print('started'); import time, subprocess; subprocess.run(['sleep', '98111.25'])", timeout=60)
        t = time.monotonic()
        c.close_stdin()
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)
        self.assertLess(c.exit_time - t, 2 * mcp.SLOW)
        self.assertTrue(procs.wait_until(lambda: not procs.with_argument("98111.25"), 1))

    def test_half_a_line_at_the_end(self):
        c = self.client()
        c.send_raw(b'{"jsonrpc":"2.0","id":1')
        c.close_stdin()
        self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)

    def test_sigterm(self):
        import signal
        for code in (None, "print('started'); import time; time.sleep(600)"):
            c = self.client()
            if code:
                c.start_marked(code, timeout=60)
            below = procs.descendants(c.pid)
            c.proc.send_signal(signal.SIGTERM)
            self.assertEqual(c.wait_exit(2 * mcp.SLOW), 0)
            for pid in below:
                self.assert_gone(pid)

    def test_sigint_and_sighup(self):
        import signal
        for s in (signal.SIGINT, signal.SIGHUP):
            c = self.client()
            c.start_marked("print('started'); import time; time.sleep(600)", timeout=60)
            below = procs.descendants(c.pid)
            c.proc.send_signal(s)
            c.wait_exit(2 * mcp.SLOW)
            for pid in below:
                self.assert_gone(pid)

    def test_epipe(self):
        """Nobody reads the answers any more: a quiet end, not a signal."""
        import subprocess
        c = mcp.Client(revision=None, stderr=subprocess.PIPE)
        self.addCleanup(c.close, False)
        p = subprocess.Popen([mcp.SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=mcp.client_env({"TMPDIR": c.tmp}), bufsize=0)
        self.addCleanup(p.stderr.close)
        self.addCleanup(p.stdin.close)
        self.addCleanup(p.kill)
        p.stdout.close()
        p.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        self.assertEqual(p.wait(4 * mcp.SLOW), 0)

    def test_epipe_while_a_program_runs(self):
        import subprocess
        import tempfile
        tmp = tempfile.mkdtemp(prefix="runner-test-")
        p = subprocess.Popen([mcp.SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env=mcp.client_env({"TMPDIR": tmp}), bufsize=0)
        self.addCleanup(p.stdin.close)
        self.addCleanup(p.kill)
        p.stdin.write(call_line(1, "import subprocess; subprocess.run(['sleep', '98222.5'])") + b"\n")
        self.assertTrue(procs.wait_until(lambda: procs.with_argument("98222.5"), 10 * mcp.SLOW))
        p.stdout.close()
        p.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
        self.assertEqual(p.wait(4 * mcp.SLOW), 0)
        self.assertTrue(procs.wait_until(lambda: not procs.with_argument("98222.5"), 1))
        import os
        os.rmdir(tmp)

    def test_stderr_is_closed(self):
        import os
        r, w = os.pipe()
        c = self.client(stderr=w, env={"RUNNER_LOG_LEVEL": "DEBUG"})
        os.close(w)
        os.close(r)
        for _ in range(5):
            self.assertEqual(c.run("print(1)").stdout, "1\n")


class NeverReads(ServerCase):
    alone = True
    limit_seconds = 180

    def flood(self, c, lines, ids):
        """Writes until the server stops reading; returns once nothing moved for half a second."""
        sent = [0]

        def write():
            for line in lines:
                c.send_raw(line)
                sent[0] += 1

        t = threading.Thread(target=write, daemon=True)
        t.start()
        last, since = -1, time.monotonic()
        while t.is_alive() and time.monotonic() - since < 0.5 * mcp.SLOW:
            if sent[0] != last:
                last, since = sent[0], time.monotonic()
            t.join(0.05)
        return t, sent

    def test_bounded_memory_and_no_reply_lost(self):
        c = self.client()
        c.alive()
        before = procs.rss_kb(c.pid)
        c.pause_reading()
        ids = [f"list-{n}" for n in range(12000)]
        for i in ids:
            c.expect(i, "tools/list")
        lines = [b'{"jsonrpc":"2.0","id":"%s","method":"tools/list"}\n' % i.encode() for i in ids]
        t, sent = self.flood(c, lines, ids)
        self.assertTrue(t.is_alive(), "the server stops reading while its answers are not read")
        self.assertLess(procs.peak_kb(c.pid) - before, mcp.SANITIZED * 64 * 1024 + 32 * 1024)
        cpu = procs.cpu_seconds(c.pid)
        time.sleep(0.5)  # a busy loop would burn this half second
        self.assertLess(procs.cpu_seconds(c.pid) - cpu, 0.2)
        c.resume_reading()
        t.join(60)
        self.assertFalse(t.is_alive())
        for i in ids:
            c.answer(i)
        self.assertEqual([m["id"] for _, m in c.messages if isinstance(m, dict) and str(m.get("id", "")).startswith("list-")], ids)
        self.assertEqual(c.run("print('next')").stdout, "next\n")

    def test_results_of_calls_are_kept_too(self):
        c = self.client({"RUNNER_MAX_OUTPUT_CHARS": "200000"})
        c.alive()
        before = procs.rss_kb(c.pid)
        c.pause_reading()
        ids = [f"call-{n}" for n in range(120)]
        for i in ids:
            c.expect(i)
        lines = [call_line(i, "print('x' * 150000)") + b"\n" for i in ids]
        t, _ = self.flood(c, lines, ids)
        procs.wait_until(lambda: len(procs.descendants(c.pid)) <= 9, 30)
        self.assertLess(procs.peak_kb(c.pid) - before, mcp.SANITIZED * 256 * 1024 + 64 * 1024)
        c.resume_reading()
        t.join(60)
        for i in ids:
            self.assertEqual(c.outcome(i).stdout, "x" * 150000 + "\n")

    def test_end_of_stdin_while_nobody_reads(self):
        c = self.client()
        c.pause_reading()
        for n in range(200):
            c.expect(f"l{n}", "tools/list")
            c.send_raw(b'{"jsonrpc":"2.0","id":"l%d","method":"tools/list"}\n' % n)
        c.close_stdin()
        self.assertEqual(c.wait_exit(4 * mcp.SLOW), 0)
        c.resume_reading()
        c.wait(lambda: c.eof, "the end")
        c.faults[:] = [f for f in c.faults if "ended within a line" not in f]  # nobody could have read it all
