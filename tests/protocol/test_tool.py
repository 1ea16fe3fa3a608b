"""The tool as clients see it: description, schemas, arguments, lists, structured output."""
import json

import mcp
import schema
from cases import ServerCase, SharedServerCase


class Listing(SharedServerCase):
    def tool(self):
        return self.c.result("tools/list")["tools"][0]

    def test_input_schema(self):
        s = self.tool()["inputSchema"]
        self.assertEqual(s["type"], "object")
        self.assertEqual(set(s["properties"]), {"code", "timeout", "stdin"})
        self.assertEqual(s["required"], ["code"])
        self.assertIs(s["additionalProperties"], False)
        self.assertEqual(s["properties"]["code"]["type"], "string")
        self.assertEqual(s["properties"]["timeout"]["type"], "number")
        self.assertEqual(s["properties"]["stdin"]["type"], "string")
        self.assertEqual(schema.check_value(s, {"code": "1", "timeout": 2.5, "stdin": ""}), [])
        self.assertNotEqual(schema.check_value(s, {"code": "1", "other": 1}), [])

    def test_description(self):
        d = self.tool()["description"]
        self.assertLess(len(d.encode()), 2048)
        for word in ("256", "10", "60"):
            self.assertIn(word, d)

    def test_description_follows_the_settings(self):
        c = self.client({"RUNNER_MAX_MEMORY_MB": "333", "RUNNER_MAX_TIMEOUT_SEC": "44", "RUNNER_DEFAULT_TIMEOUT_SEC": "7"})
        d = json.dumps(c.result("tools/list")["tools"][0])
        for word in ("333", "44", "7"):
            self.assertIn(word, d)

    def test_annotations(self):
        self.assertIsInstance(self.tool()["annotations"], dict)

    def test_no_output_schema_unless_asked_for(self):
        self.assertNotIn("outputSchema", self.tool())
        self.assertNotIn("structuredContent", self.c.run("1").raw)

    def test_server_and_tool_name_fit_together(self):
        self.assertLessEqual(len("python-runner") + len(self.tool()["name"]), 60)

    def test_empty_lists(self):
        for revision in (None, mcp.envelope()):
            meta = {"_meta": revision} if revision else {}
            self.assertEqual(self.c.result("prompts/list", meta)["prompts"], [])
            self.assertEqual(self.c.result("resources/list", meta)["resources"], [])
            self.assertEqual(self.c.result("resources/templates/list", meta)["resourceTemplates"], [])

    def test_lists_end_at_once(self):
        for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
            self.assertNotIn("nextCursor", self.c.result(method, {}))


class Arguments(SharedServerCase):
    def refused(self, arguments):
        m = self.c.ask("tools/call", {"name": "run_python", "arguments": arguments})
        self.assertIn("result", m, "wrong arguments are a result with isError, not a protocol error")
        o = mcp.Outcome(m["result"])
        self.assertTrue(o.is_error)
        self.assertEqual(o.status, "rejected")
        return o

    def test_unknown_argument(self):
        for name in ("cod", "session", "Code", "timeout_sec", ""):
            with self.subTest(name):
                o = self.refused({"code": "1", name: 1})
                for word in (name, "code", "timeout", "stdin"):
                    self.assertIn(word, o.body)

    def test_missing_code(self):
        self.assertIn("code", self.refused({}).body)
        m = self.c.ask("tools/call", {"name": "run_python"})
        self.assertTrue("error" in m or mcp.Outcome(m["result"]).is_error)

    def test_wrong_types(self):
        for arguments in ({"code": 5}, {"code": None}, {"code": ["print(1)"]}, {"code": "1", "timeout": "abc"},
                          {"code": "1", "timeout": True}, {"code": "1", "timeout": []}, {"code": "1", "stdin": 5},
                          {"code": "1", "stdin": ["a"]}):
            with self.subTest(repr(arguments)):
                bad = next(k for k in ("stdin", "timeout", "code") if k in arguments)
                self.assertIn(bad, self.refused(arguments).body)

    def test_arguments_that_are_no_object(self):
        for arguments in (5, "print(1)", ["code"], True):
            with self.subTest(repr(arguments)):
                m = self.c.ask("tools/call", {"name": "run_python", "arguments": arguments})
                self.assertTrue(m["error"]["code"] == -32602 if "error" in m else mcp.Outcome(m["result"]).is_error)

    def test_timeout_out_of_range(self):
        for t in (-1, 0, -0.5, -1e300, -10**18):
            with self.subTest(t):
                o = self.refused({"code": "1", "timeout": t})
                self.assertIn("timeout", o.body)
                self.assertIn("60", o.body)

    def test_more_than_the_most_is_capped_and_said(self):
        for t in (61, 1e12, 10**18, 1e308):
            with self.subTest(t):
                o = self.c.run("print('x')", timeout=t)
                self.assertEqual(o.status, "exited")
                self.assertIn("60", o.note)

    def test_no_note_within_the_limit(self):
        self.assertEqual(self.c.run("print('x')", timeout=60).note, "")

    def test_small_and_fractional_timeouts(self):
        o = self.c.run("while True: pass", timeout=0.25)
        self.assertEqual((o.status, o.ended["limit"]), ("timeout", "0.25"))

    def test_null_timeout(self):
        m = self.c.ask("tools/call", {"name": "run_python", "arguments": {"code": "1", "timeout": None}})
        o = mcp.Outcome(m["result"])
        self.assertTrue(o.is_error and "timeout" in o.body or o.result == "1\n")

    def test_refused_calls_are_apart_from_failing_programs(self):
        self.assertFalse(self.c.run("raise ValueError('x')").is_error)
        self.assertFalse(self.c.run("def (").is_error)
        self.assertFalse(self.c.run("import os; os.abort()").is_error)

    def test_empty_code(self):
        for code in ("", "\n", "# only a comment"):
            o = self.c.run(code)
            self.assertEqual((o.status, o.exit_code), ("exited", 0))

    def test_large_code(self):
        o = self.c.run("# filler\n" * 100_000 + "print('end')")
        self.assertEqual(o.stdout, "end\n")
        m = self.c.answer(self.c.call("# filler\n" * 600_000 + "print('end')"), 60)
        o = mcp.Outcome(m["result"])
        self.assertTrue("MB" in o.body if o.is_error else o.stdout == "end\n")

    def test_stdin(self):
        self.assertEqual(self.c.run("import sys; print(repr(sys.stdin.read()))").stdout, "''\n")
        self.assertEqual(self.c.run("print(input() + input())", stdin="a\nb\n").stdout, "ab\n")
        text = "ü€🐍\0" * 100_000
        o = self.c.run("import sys, hashlib; print(hashlib.sha1(sys.stdin.buffer.read()).hexdigest())", stdin=text)
        import hashlib
        self.assertEqual(o.stdout, hashlib.sha1(text.encode()).hexdigest() + "\n")

    def test_stdin_not_read_by_the_program(self):
        self.assertEqual(self.c.run("print('ok')", stdin="x" * 3_000_000).stdout, "ok\n")


class Structured(ServerCase):
    ENV = {"RUNNER_STRUCTURED_OUTPUT": "true", "RUNNER_MAX_CPU_SECONDS": "1"}
    PROGRAMS = ("print('a'); 5", "import sys; print('e', file=sys.stderr)", "raise SystemExit(3)", "1/0", "def (",
                "import os; os.kill(os.getpid(), 9)", "while True: pass", "print('x' * 50000); 'y' * 50000", "''")

    def test_every_result_fits_the_output_schema(self):
        for revision in ("2025-06-18", "2025-11-25", schema.MODERN):
            with self.subTest(revision):
                c = self.client(self.ENV, revision)
                out = c.result("tools/list")["tools"][0]["outputSchema"]
                self.assertEqual(out["type"], "object")
                calls = [c.call(p) for p in self.PROGRAMS] + [c.call("import time; time.sleep(9)", timeout=0.2)]
                for i in calls:
                    o = c.outcome(i)
                    self.assertEqual(schema.check_value(out, o.raw["structuredContent"]), [])
                    self.assertEqual(o.raw["structuredContent"]["status"], o.status)

    def test_fields(self):
        c = self.client(self.ENV)
        o = c.run("import sys; print('out'); print('err', file=sys.stderr); {'k': 1}")
        s = o.raw["structuredContent"]
        self.assertEqual((s["stdout"], s["stderr"], s["result"]), ("out\n", "err\n", "{'k': 1}"))
        self.assertEqual((s["exit_code"], s["request_id"]), (0, o.meta["request_id"]))
        self.assertIsNone(c.run("None").raw["structuredContent"]["result"])
        self.assertIn("--- stdout ---\nout\n", o.text)

    def test_refusals(self):
        c = self.client(self.ENV)
        out = c.result("tools/list")["tools"][0]["outputSchema"]
        r = c.result("tools/call", {"name": "run_python", "arguments": {"cod": 1}})
        self.assertTrue(r["isError"])
        if "structuredContent" in r:
            self.assertEqual(schema.check_value(out, r["structuredContent"]), [])

    def test_old_clients_are_not_harmed(self):
        for revision in ("2024-11-05", "2025-03-26"):
            c = self.client(self.ENV, revision)
            self.assertEqual(c.run("print(1)").stdout, "1\n")
