"""What a result says, to the letter. mcp.Outcome takes every text apart; here are the words themselves."""
import re
import time

import mcp
from cases import ServerCase, SharedServerCase


class Words(SharedServerCase):
    env = {"RUNNER_MAX_CPU_SECONDS": "1"}

    def test_the_whole_text(self):
        o = self.c.run("print(sum(range(10)))")
        self.assertRegex(o.text, r"\A\[request_id=[0-9a-f]{8}\]\n--- stdout ---\n45\n\n"
                                 r"--- exit_code: 0 \| duration: \d+\.\d{3}s ---\n?\Z")

    def test_all_sections_in_order(self):
        o = self.c.run("import sys; print('o'); print('e', file=sys.stderr)\n'r'", timeout=100)
        self.assertRegex(o.text, r"\A\[request_id=[0-9a-f]{8}\]\n--- stdout ---\no\n\n--- stderr ---\ne\n\n--- result ---\n'r'\n\n"
                                 r"--- note ---\n[^\n]+\n\n--- exit_code: 0 \| duration: \d+\.\d{3}s ---\n?\Z")

    def test_request_ids_differ(self):
        ids = {self.c.run("1").meta["request_id"] for _ in range(8)}
        self.assertEqual(len(ids), 8)

    def test_newline_added_when_missing_only(self):
        self.assertIn("--- stdout ---\na\n\n---", self.c.run("print('a')").text)
        self.assertIn("--- stdout ---\na\n\n---", self.c.run("print('a', end='')").text)
        self.assertEqual(self.c.run("print('a', end='')").meta["stdout"]["bytes"], 1)

    def test_nothing_to_say(self):
        o = self.c.run("x = 1")
        self.assertEqual(list(o.sections), ["note"])
        self.assertEqual(o.note, "The program ended without output.\n")
        self.assertNotIn("note", self.c.run("1").sections)
        self.assertNotIn("note", self.c.run("print(1)").sections)

    def test_result_value(self):
        for code, value in (("1+1", "2"), ("'a'", "'a'"), ("x = 5\nx", "5"), ("[1, 'b']", "[1, 'b']"), ("...", "Ellipsis")):
            self.assertEqual(self.c.run(code).result, value + "\n")
        for code in ("None", "x = 5", "print(1)", "def f(): return 1", "for i in range(3): i"):
            self.assertNotIn("result", self.c.run(code).sections)

    def test_exit_codes(self):
        for code, status in (("0", 0), ("3", 3), ("255", 255), ("256", 0), ("-1", 255), ("None", 0), ("True", 1), ("'text'", 1)):
            o = self.c.run(f"import sys; sys.exit({code})")
            self.assertEqual((o.status, o.exit_code, o.ended["code"]), ("exited", status, str(status)), code)
        self.assertEqual(self.c.run("import sys; sys.exit('why')").stderr, "why\n")
        self.assertEqual(self.c.run("import os; os._exit(7)").exit_code, 7)

    def test_exception(self):
        o = self.c.run("def f():\n    return 1 / 0\n\nf()\n")
        self.assertEqual((o.status, o.exit_code, o.is_error), ("exited", 1, False))
        self.assertRegex(o.stderr, r'\ATraceback \(most recent call last\):\n  File "[^"]*main.py", line 4, in <module>\n    f\(\)\n')
        self.assertIn("    return 1 / 0\n", o.stderr)
        self.assertTrue(o.stderr.endswith("ZeroDivisionError: division by zero\n"))
        self.assertEqual(o.stderr.count("  File "), 2)

    def test_signals(self):
        for name, number in (("SIGSEGV", 11), ("SIGKILL", 9), ("SIGTERM", 15), ("SIGABRT", 6), ("SIGALRM", 14), ("SIGUSR1", 10)):
            o = self.c.run(f"import os; print('before', flush=True); os.kill(os.getpid(), {number})")
            self.assertEqual((o.status, o.signal, o.ended["signal"], o.ended["name"]), ("signaled", number, str(number), name))
            self.assertEqual(o.stdout, "before\n")

    def test_a_real_crash(self):
        o = self.c.run("import ctypes; ctypes.string_at(0)")
        self.assertEqual((o.status, o.signal), ("signaled", 11))

    def test_timeout(self):
        o = self.c.run("print('so far')\nimport time\ntime.sleep(30)", timeout=0.2)
        self.assertEqual((o.status, o.ended["limit"], o.exit_code, o.signal), ("timeout", "0.2", None, None))
        self.assertEqual(o.stdout, "so far\n")
        self.assertLess(abs(float(o.ended["duration"]) - 0.2), 0.1 * mcp.SLOW)
        self.assertEqual(self.c.run("import time; time.sleep(30)", timeout=1).ended["limit"], "1")
        self.assertEqual(self.c.run("import time; time.sleep(30)", timeout=1.0).ended["limit"], "1")

    def test_cpu_limit(self):
        o = self.c.run("print('so far')\nwhile True: pass")
        self.assertEqual((o.status, o.ended["limit"]), ("cpu_limit", "1"))
        self.assertEqual(o.stdout, "so far\n")
        self.assertGreater(o.meta["cpu_ms"], 900)

    def test_cpu_limit_is_deaf_to_handlers(self):
        o = self.c.run("import signal\nfor s in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGPROF):\n"
                       "    signal.signal(s, lambda *_: None)\nwhile True: pass")
        self.assertEqual(o.status, "cpu_limit")

    def test_cpu_and_clock_together_are_a_timeout(self):
        o = self.c.run("while True: pass", timeout=1)
        self.assertEqual(o.status, "timeout")

    def test_memory_error(self):
        o = self.c.run("print('a')\nx = bytearray(10**10)")
        self.assertEqual((o.status, o.exit_code), ("exited", 1))
        self.assertIn("MemoryError", o.stderr)
        self.assertIn("256 MB", o.note)
        o = self.c.run("try:\n    bytearray(10**10)\nexcept MemoryError:\n    print('caught')")
        self.assertEqual((o.exit_code, o.stdout, o.note), (0, "caught\n", ""))

    def test_memory_error_in_small_steps(self):
        o = self.c.run("x = []\nwhile True: x.append(' ' * 100_000 + str(len(x)))")
        self.assertEqual((o.status, o.exit_code), ("exited", 1))
        self.assertIn("256 MB", o.note)

    def test_outcome_numbers(self):
        t = time.monotonic()
        o = self.c.run("import time\nx = bytearray(50 * 2**20)\nend = time.process_time() + 0.3\n"
                       "while time.process_time() < end: pass\ntime.sleep(0.2)")
        took = (time.monotonic() - t) * 1000
        m = o.meta
        self.assertTrue(300 <= m["cpu_ms"] < 300 + 200 * mcp.SLOW, m)
        self.assertTrue(500 <= m["duration_ms"] <= took, m)
        self.assertGreater(m["max_rss_kb"], 50 * 1024)
        self.assertLess(m["max_rss_kb"], 256 * 1024)
        self.assertLess(m["queued_ms"], 1000 * mcp.SLOW)
        self.assertAlmostEqual(m["duration_ms"] / 1000, float(o.ended["duration"].rstrip("s")), delta=0.0011)

    def test_bytes_are_counted_as_written(self):
        o = self.c.run("import sys; print('ü€'); sys.stderr.write('🐍'); 'ß'")
        self.assertEqual((o.meta["stdout"]["bytes"], o.meta["stderr"]["bytes"], o.meta["result"]["bytes"]), (6, 4, 4))
        self.assertEqual([o.meta[k]["truncated"] for k in ("stdout", "stderr", "result")], [False] * 3)

    def test_bytes_that_are_no_utf8(self):
        o = self.c.run(r"import os; os.write(1, b'a\xff\xc3(\xe2\x82z\n'); os.write(2, b'\xf0\x9f\x90'); os.write(1, b'\xed\xa0\x80\n')")
        self.assertEqual(o.stdout, "a��(�z\n���\n")
        self.assertEqual(o.stderr, "�\n")

    def test_a_character_in_two_halves(self):
        o = self.c.run(r"import os, time; os.write(1, b'caf\xc3'); time.sleep(0.2); os.write(1, b'\xa9\n')")
        self.assertEqual(o.stdout, "café\n")

    def test_nul_and_controls_survive(self):
        self.assertEqual(self.c.run(r"print('a\0b\x1b[1m\x7f')").stdout, "a\0b\x1b[1m\x7f\n")

    def test_text_that_looks_like_ours(self):
        o = self.c.run("print('--- exit_code: 9 | duration: 0.001s ---')\nprint('[request_id=00000000]')")
        self.assertEqual((o.exit_code, o.ended["code"]), (0, "0"))

    def test_fence(self):
        for fence in ("```python\nprint('in')\n```", "```\nprint('in')\n```\n", "\n```py\nprint('in')\n```", "~~~python\nprint('in')\n~~~"):
            o = self.c.run(fence)
            self.assertEqual(o.stdout, "in\n", fence)

    def test_syntax_error(self):
        o = self.c.run("print('never')\nx = = 1\n")
        self.assertEqual((o.status, o.exit_code, o.stdout), ("exited", 1, ""))
        self.assertIn("SyntaxError", o.stderr)
        self.assertIn("x = = 1", o.stderr)


class Truncation(SharedServerCase):
    env = {"RUNNER_MAX_OUTPUT_CHARS": "1000"}

    def parts(self, text):
        m = re.search(r"… \[(\d+) characters omitted\] …", text)
        self.assertTrue(m, text[:200])
        head, tail = text[:m.start()], text[m.end():]
        self.assertTrue(head.endswith("\n") and tail.startswith("\n"), "the mark stands on a line of its own")
        return head, int(m[1]), tail

    def test_head_and_tail(self):
        o = self.c.run("print('START'); print('x' * 50_000); print('END')")
        head, omitted, tail = self.parts(o.stdout)
        self.assertTrue(head.startswith("START\nxxx"))
        self.assertTrue(tail.endswith("xxx\nEND\n"))
        self.assertEqual(o.meta["stdout"], {"bytes": 50_011, "truncated": True})
        kept = 50_011 - omitted
        self.assertLessEqual(kept, 1000)
        self.assertGreater(kept, 900)
        self.assertLessEqual(abs(len(head) + len(tail) - kept), 2)

    def test_exactly_the_limit(self):
        o = self.c.run("print('x' * 999)")
        self.assertEqual((o.stdout, o.meta["stdout"]["truncated"]), ("x" * 999 + "\n", False))
        o = self.c.run("print('x' * 1000)")
        self.assertTrue(o.meta["stdout"]["truncated"])
        self.parts(o.stdout)

    def test_counted_in_characters(self):
        o = self.c.run("print('🐍' * 999)")
        self.assertEqual((o.stdout, o.meta["stdout"]["truncated"]), ("🐍" * 999 + "\n", False))
        o = self.c.run("print('🐍' * 5000)")
        head, omitted, tail = self.parts(o.stdout)
        self.assertNotIn("�", o.stdout)
        self.assertLessEqual(5001 - omitted, 1000)

    def test_each_stream_for_itself(self):
        o = self.c.run("import sys\nprint('o' * 3000); print('e' * 3000, file=sys.stderr)\n'r' * 3000")
        for name in ("stdout", "stderr", "result"):
            self.parts(o.sections[name])
            self.assertTrue(o.meta[name]["truncated"])
        o = self.c.run("import sys\nprint('o' * 3000); print('e', file=sys.stderr)")
        self.assertFalse(o.meta["stderr"]["truncated"])

    def test_giant_result_value(self):
        t = time.monotonic()
        o = self.c.run("list(range(1_000_000))")
        self.assertTrue(o.meta["result"]["truncated"])
        self.assertEqual(o.meta["result"]["bytes"], len(repr(list(range(1_000_000)))))
        head, _, tail = self.parts(o.result)
        self.assertTrue(head.startswith("[0, 1, 2"))
        self.assertTrue(tail.endswith("999998, 999999]\n"))
        self.assertLess(time.monotonic() - t, 5 * mcp.SLOW)

    def test_truncated_at_a_timeout(self):
        o = self.c.run("i = 0\nwhile True:\n    print('flood', i); i += 1", timeout=0.5)
        self.assertEqual(o.status, "timeout")
        head, _, tail = self.parts(o.stdout)
        self.assertTrue(head.startswith("flood 0\nflood 1\n"))


class Defaults(ServerCase):
    def test_default_timeout(self):
        c = self.client({"RUNNER_DEFAULT_TIMEOUT_SEC": "1"})
        o = c.run("import time; time.sleep(30)")
        self.assertEqual((o.status, o.ended["limit"]), ("timeout", "1"))

    def test_most_timeout_also_caps_the_default(self):
        c = self.client({"RUNNER_DEFAULT_TIMEOUT_SEC": "1", "RUNNER_MAX_TIMEOUT_SEC": "1"})
        o = c.run("import time; time.sleep(30)", timeout=30)
        self.assertEqual((o.status, o.ended["limit"]), ("timeout", "1"))
        self.assertIn("1", o.note)

    def test_default_output_limit(self):
        c = self.client()
        self.assertFalse(c.run("print('x' * 19_999)").meta["stdout"]["truncated"])
        self.assertTrue(c.run("print('x' * 20_000)").meta["stdout"]["truncated"])

    def test_file_size_limit(self):
        c = self.client({"RUNNER_MAX_FILE_SIZE_MB": "1"})
        o = c.run("with open('f', 'wb') as f:\n    f.write(b'x' * 2**20)\nprint('one')\n"
                  "with open('f', 'ab') as f:\n    f.write(b'x' * 2**20)\nprint('two')")
        self.assertEqual((o.stdout, o.exit_code), ("one\n", 1))
        self.assertIn("File too large", o.stderr)

    def test_memory_setting(self):
        c = self.client({"RUNNER_MAX_MEMORY_MB": "512"})
        self.assertEqual(c.run("x = bytearray(300 * 2**20); print(len(x))").stdout, f"{300 * 2**20}\n")
        self.assertIn("512 MB", c.run("x = bytearray(600 * 2**20)").note)

    def test_a_program_can_not_unsay_that_it_was_started(self):
        c = self.client()
        forge = ("import ctypes, os, struct\nfor line in open('/proc/self/maps'):\n    if 'runner' in line and ' rw-s ' in line:\n"
                 "        address = int(line.split('-')[0], 16)\n        ctypes.memmove(address, struct.pack('6I', 0, 9, 13, 0, 9, 13), 24)\n        os._exit(3)\n"
                 "print('no page')")
        o = c.run(forge)
        self.assertEqual((o.status, o.exit_code, o.stdout), ("exited", 3, ""))
        self.assertEqual(c.run("print(1)").stdout, "1\n")

    def test_no_core(self):
        c = self.client()
        # 1 where the host has a handler of core dumps, which is called even with 0: core(5)
        self.assertIn(c.run("import resource; print(resource.getrlimit(resource.RLIMIT_CORE))").stdout, ("(0, 0)\n", "(1, 1)\n"))
