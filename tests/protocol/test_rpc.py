"""JSON-RPC as MCP restricts it: ids, error codes, batches, notifications."""
import json

import mcp
import schema
from cases import ServerCase, SharedServerCase

IDS = [0, 1, -1, 2**31, 2**53 - 1, 2**53 + 1, -2**53 - 1, 2**63 - 1, -2**63, "", "0", "a", "1e3", "a b", "ü", "日本語", "🐍",
       "\"quoted\\", "\u2028", "x" * 200]


class Ids(SharedServerCase):
    def test_echoed_with_their_type(self):
        for i in IDS:
            with self.subTest(repr(i)[:40]):
                got = self.c.ask("ping", i=i)["id"]
                self.assertEqual((type(got), got), (type(i), i))

    def test_echoed_by_a_call(self):
        for i in (0, -7, "call", 2**53 + 1):
            with self.subTest(repr(i)):
                self.assertEqual(self.c.outcome(self.c.call("5", i=i)).result, "5\n")

    def test_echoed_by_an_error(self):
        for i in (0, "e", 2**53 + 1):
            with self.subTest(repr(i)):
                self.assertEqual(self.c.ask("no/such", i=i)["id"], i)

    def test_zero_and_its_string_are_two(self):
        a = self.c.call("import time; time.sleep(0.3); print('number')", i=0)
        b = self.c.call("print('string')", i="0")
        self.assertEqual(self.c.outcome(b).stdout, "string\n")
        self.assertEqual(self.c.outcome(a).stdout, "number\n")

    def test_other_ids_are_refused(self):
        for i in ("1.5", "1.0", "null", "true", "[]", "{}", "1e400", "1" * 400):
            with self.subTest(i[:20]):
                before = len(self.c.unaddressed())
                self.c.send_raw(b'{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % i.encode())
                self.c.wait(lambda: len(self.c.unaddressed()) > before, "an error without an id")
                self.assertIn(self.c.unaddressed()[-1]["error"]["code"], (-32600, -32700))

    def test_fresh_ids_may_be_used_again(self):
        for _ in range(3):
            self.assertEqual(self.c.outcome(self.c.call("6", i="again")).result, "6\n")


class Errors(SharedServerCase):
    def unaddressed_error(self, raw, codes):
        before = len(self.c.unaddressed())
        self.c.send_raw(raw + b"\n")
        self.c.wait(lambda: len(self.c.unaddressed()) > before, f"an error for {raw[:80]!r}")
        e = self.c.unaddressed()[-1]["error"]
        self.assertIn(e["code"], codes)
        self.assertGreater(len(e["message"]), 10)
        return e

    def addressed_error(self, raw, i, codes):
        self.c.expect(i, "ping")
        self.c.send_raw(raw + b"\n")
        m = self.c.answer(i)
        self.assertIn(m["error"]["code"], codes)
        self.assertGreater(len(m["error"]["message"]), 10)
        return m["error"]

    def test_not_json(self):
        for raw in (b"hello", b"{", b"{]", b"'", b'{"a":}', b"\x00", b"nul", b'{"jsonrpc":"2.0"'):
            with self.subTest(repr(raw)):
                self.unaddressed_error(raw, [-32700])

    def test_parse_error_carries_the_id_when_there_is_one(self):
        self.addressed_error(b'{"jsonrpc":"2.0","id":"cut","method":"ping","params":{', "cut", [-32700])
        self.addressed_error(b'{"jsonrpc":"2.0","method":"ping","params":{"x":nope},"id":4711}', 4711, [-32700])

    def test_json_but_no_message(self):
        for raw in (b"5", b'"text"', b"null", b"true", b"{}", b'{"jsonrpc":"2.0"}', b'{"a":1}'):
            with self.subTest(repr(raw)):
                self.unaddressed_error(raw, [-32600])

    def test_invalid_requests(self):
        for n, body in enumerate(({"method": "ping"}, {"jsonrpc": "1.0", "method": "ping"}, {"jsonrpc": 2.0, "method": "ping"},
                                  {"jsonrpc": "2.0", "method": 5}, {"jsonrpc": "2.0", "method": None}, {"jsonrpc": "2.0"})):
            with self.subTest(repr(body)):
                i = f"invalid-{n}"
                self.addressed_error(json.dumps({**body, "id": i}).encode(), i, [-32600])

    def test_params_of_the_wrong_type(self):
        for n, params in enumerate((5, "x", [1, 2], True, None)):
            with self.subTest(repr(params)):
                i = f"params-{n}"
                self.c.expect(i, "tools/list")
                self.c.send_raw(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/list", "params": params}).encode() + b"\n")
                m = self.c.answer(i)
                if params is None and "result" in m:
                    continue  # as good as absent
                self.assertIn(m["error"]["code"], (-32600, -32602))

    def test_method_not_found(self):
        for method in ("no/such", "", "tools", "tools/call/x", "rpc.discover", "Tools/List", "notifications/initialized",
                       "sampling/createMessage", "completion/complete", "tasks/list"):
            with self.subTest(method):
                e = self.c.error(method, {})
                self.assertEqual(e["code"], -32601)

    def test_unknown_tool(self):
        for name in ("nope", "", "Run_Python", "run_python "):
            with self.subTest(name):
                e = self.c.error("tools/call", {"name": name, "arguments": {"code": "1"}})
                self.assertEqual(e["code"], -32602)
                self.assertIn("run_python", e["message"])

    def test_tool_call_without_a_name(self):
        for params in (None, {}, {"arguments": {"code": "1"}}, {"name": 5, "arguments": {}}, {"name": None}):
            with self.subTest(repr(params)):
                self.assertEqual(self.c.error("tools/call", params)["code"], -32602)

    def test_bad_cursor(self):
        for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
            for cursor in ("x", "", 5, None, {}):
                with self.subTest(f"{method} {cursor!r}"):
                    self.assertEqual(self.c.error(method, {"cursor": cursor})["code"], -32602)

    def test_unknown_resource(self):
        self.assertEqual(self.c.error("resources/read", {"uri": "file:///none"})["code"], -32002)
        e = self.c.error("resources/read", {"uri": "file:///none", "_meta": mcp.envelope()})
        self.assertEqual(e["code"], -32602)

    def test_unknown_prompt(self):
        self.assertEqual(self.c.error("prompts/get", {"name": "none"})["code"], -32602)

    def test_bad_log_level(self):
        for level in ("loud", "", 5, None):
            self.assertEqual(self.c.error("logging/setLevel", {"level": level})["code"], -32602)

    def test_unknown_fields_are_ignored(self):
        i = "extra"
        self.c.expect(i, "ping")
        self.c.send_raw(b'{"jsonrpc":"2.0","id":"extra","method":"ping","x":[1],"params":{"y":{"z":null}}}\n')
        self.assertIn("result", self.c.answer(i))
        r = self.c.result("tools/call", {"name": "run_python", "arguments": {"code": "7"}, "task2": {}, "more": 1})
        self.assertEqual(mcp.Outcome(r).result, "7\n")

    def test_answers_we_never_asked_for_are_ignored(self):
        n = len(self.c.messages)
        self.c.send_raw(b'{"jsonrpc":"2.0","id":12345,"result":{}}\n{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}\n'
                        b'{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}\n')
        self.c.alive()
        self.assertEqual(len(self.c.messages), n + 1)


class Notifications(SharedServerCase):
    def test_none_is_answered(self):
        n = len(self.c.messages)
        for method, params in (("notifications/initialized", None), ("notifications/unknown", {"a": 1}), ("ping", None),
                               ("tools/list", {}), ("tools/call", {"name": "run_python", "arguments": {"code": "print(1)"}}),
                               ("tools/call", {"name": "nope"}), ("notifications/cancelled", None), ("initialize", {}),
                               ("notifications/cancelled", {"requestId": 1.5}), ("notifications/cancelled", {"requestId": None}),
                               ("notifications/cancelled", {"requestId": {}}), ("notifications/roots/list_changed", None)):
            self.c.send_raw(json.dumps({"jsonrpc": "2.0", "method": method,
                                        **({} if params is None else {"params": params})}).encode() + b"\n")
        self.c.alive()
        self.c.run("1")  # whatever a tools/call without an id might have started has ended by now
        self.assertEqual(len(self.c.messages), n + 2)


class Batches(ServerCase):
    def batch(self, c, messages):
        for m in messages:
            c.note_request(m)
        c.send_raw(json.dumps(messages).encode() + b"\n")

    def test_one_answer_for_all(self):
        c = self.client(revision="2025-03-26")
        a, b, d = c.message("ping"), c.message("tools/list"), c.message("no/such")
        call = c.message("tools/call", {"name": "run_python", "arguments": {"code": "print('in a batch')"}})
        self.batch(c, [a, {"jsonrpc": "2.0", "method": "notifications/x"}, b, d, call])
        self.assertEqual(mcp.Outcome(c.answer(call["id"])["result"]).stdout, "in a batch\n")
        arrays = [m for _, m in c.messages if isinstance(m, list)]
        self.assertEqual(len(arrays), 1)
        self.assertEqual(sorted(m["id"] for m in arrays[0]), sorted(m["id"] for m in (a, b, d, call)))
        self.assertEqual(next(m for m in arrays[0] if m["id"] == d["id"])["error"]["code"], -32601)

    def test_only_notifications_get_nothing(self):
        c = self.client(revision="2025-03-26")
        n = len(c.messages)
        self.batch(c, [{"jsonrpc": "2.0", "method": "notifications/x"}] * 3)
        c.alive()
        self.assertEqual(len(c.messages), n + 1)

    def test_an_invalid_element_is_answered_under_its_id(self):
        c = self.client(revision="2025-03-26")
        good = c.message("ping")
        self.batch(c, [good, {"jsonrpc": "2.0", "id": "bad", "method": 5}])
        self.assertEqual(c.answer("bad")["error"]["code"], -32600)
        self.assertEqual(c.answer(good["id"])["result"], {})

    def test_initialize_has_no_place_in_a_batch(self):
        c = self.client(revision="2025-03-26")
        m = c.message("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        self.batch(c, [m])
        self.assertEqual(c.answer(m["id"])["error"]["code"], -32600)

    def test_cancel_within_a_batch(self):
        c = self.client(revision="2025-03-26")
        call = c.message("tools/call", {"name": "run_python", "arguments": {"code": "import time; time.sleep(60)", "timeout": 60}})
        ping = c.message("ping")
        self.batch(c, [call, ping])
        c.cancel(call["id"])
        self.assertEqual(c.answer(ping["id"])["result"], {})
        arrays = [m for _, m in c.messages if isinstance(m, list)]
        self.assertEqual([[m["id"] for m in a] for a in arrays], [[ping["id"]]])
        self.assertEqual(c.answers(call["id"]), [])

    def test_cancel_of_all_of_a_batch(self):
        c = self.client(revision="2025-03-26")
        calls = [c.message("tools/call", {"name": "run_python", "arguments": {"code": "import time; time.sleep(60)"}})
                 for _ in range(2)]
        n = len(c.messages)
        self.batch(c, calls)
        for m in calls:
            c.cancel(m["id"])
        c.alive()
        self.assertEqual(len(c.messages), n + 1)

    def test_a_cancel_inside_the_batch(self):
        c = self.client(revision="2025-03-26")
        call = c.message("tools/call", {"name": "run_python", "arguments": {"code": "import time; time.sleep(60)"}})
        ping = c.message("ping")
        self.batch(c, [call, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call["id"]}}, ping])
        self.assertEqual(c.answer(ping["id"])["result"], {})
        c.alive()
        self.assertEqual(c.answers(call["id"]), [])

    def test_large_batch(self):
        c = self.client(revision="2025-03-26")
        pings = [c.message("ping") for _ in range(500)]
        self.batch(c, pings)
        for m in pings:
            c.answer(m["id"])
        c.alive()

    def test_no_batch_in_the_other_revisions(self):
        for revision in ("2024-11-05", "2025-06-18", "2025-11-25", schema.MODERN):
            with self.subTest(revision):
                c = self.client(revision=revision)
                c.alive()
                n = len(c.messages)
                call = {"jsonrpc": "2.0", "id": "b", "method": "tools/list", "params": {"_meta": mcp.envelope()} if c.modern else {}}
                c.note_request(call)  # a server may name the element it refuses
                c.send_raw(json.dumps([call]).encode() + b"\n")
                c.alive()
                answers = [m for _, m in c.messages[n:-1]]
                for m in answers:
                    self.assertEqual(m["error"]["code"], -32600)
                if revision in ("2025-11-25", schema.MODERN):
                    self.assertEqual(len(answers), 1)

    def test_empty_batch(self):
        for revision in ("2025-03-26", "2025-11-25"):
            with self.subTest(revision):
                c = self.client(revision=revision)
                n = len(c.messages)
                c.send_raw(b"[]\n")
                c.alive()
                answers = [m for _, m in c.messages[n:-1]]
                for m in answers:
                    self.assertEqual(m["error"]["code"], -32600)
                if revision == "2025-11-25":
                    self.assertEqual(len(answers), 1)
