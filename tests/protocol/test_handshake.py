"""Which era, which revision: handshake, server/discover, and both eras on one connection."""
import unittest

import mcp
import schema
from cases import ServerCase

V = mcp.ENVELOPE + "protocolVersion"
CAPABILITIES = mcp.ENVELOPE + "clientCapabilities"


class Legacy(ServerCase):
    def test_every_revision(self):
        for revision in schema.LEGACY:
            with self.subTest(revision):
                c = self.client(revision=revision)
                self.assertEqual(c.init_result["protocolVersion"], revision)
                self.assertEqual(c.init_result["serverInfo"]["name"], "python-runner-mcp")
                self.assertIn("tools", c.init_result["capabilities"])
                self.assertEqual([t["name"] for t in c.result("tools/list")["tools"]], ["run_python"])
                self.assertEqual(c.run("print(sum(range(10)))").stdout, "45\n")

    def test_unknown_version_gets_the_newest_legacy_one(self):
        for asked in ("2030-01-01", "1999-01-01", "", "x", schema.MODERN):
            with self.subTest(asked):
                c = self.client(revision=None)
                self.assertEqual(c.initialize(asked)["protocolVersion"], schema.LATEST_LEGACY)
                c.alive()

    def test_initialize_without_params(self):
        c = self.client(revision=None)
        for params in (None, {}, {"protocolVersion": 5}):
            m = c.ask("initialize", params)
            if "error" in m:
                self.assertEqual(m["error"]["code"], -32602)
            else:
                self.assertEqual(m["result"]["protocolVersion"], schema.LATEST_LEGACY)
        c.initialize("2025-06-18")
        self.assertEqual(c.run("1").result, "1\n")

    def test_ping_before_initialize(self):
        c = self.client(revision=None)
        self.assertEqual(c.result("ping"), {})

    def test_requests_may_follow_initialize_at_once(self):
        """Clients that pipeline: everything is written before anything is read."""
        c = self.client(revision=None)
        i = c.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                     "clientInfo": {"name": "t", "version": "1"}})
        c.notify("notifications/initialized")
        c.revision = "2025-06-18"
        j = c.call("print('at once')")
        self.assertEqual(c.answer(i)["result"]["protocolVersion"], "2025-06-18")
        self.assertEqual(c.outcome(j).stdout, "at once\n")

    def test_a_second_start_costs_nothing(self):
        """A client may start the server for a probe first: nothing is left on disk by either."""
        for revision in (schema.MODERN, "2025-11-25"):
            c = self.client(revision=revision)
            c.result("tools/list")


class Modern(ServerCase):
    def test_discover(self):
        c = self.client(revision=schema.MODERN)
        r = c.result("server/discover")
        self.assertIn(schema.MODERN, r["supportedVersions"])
        self.assertEqual(r["resultType"], "complete")
        self.assertIn("tools", r["capabilities"])
        info = r["_meta"][mcp.ENVELOPE + "serverInfo"]
        self.assertEqual(info["name"], "python-runner-mcp")
        self.assertTrue(info["version"])

    def test_call_without_any_handshake(self):
        c = self.client(revision=schema.MODERN)
        o = c.run("print(sum(range(10)))")
        self.assertEqual((o.stdout, o.raw["resultType"]), ("45\n", "complete"))

    def test_lists_are_cacheable(self):
        c = self.client(revision=schema.MODERN)
        for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
            r = c.result(method)  # ttlMs and cacheScope are required by the schema
            self.assertEqual(r["resultType"], "complete")

    def test_ping_is_gone(self):
        c = self.client(revision=schema.MODERN)
        self.assertEqual(c.error("ping")["code"], -32601)

    def test_set_level_is_gone(self):
        c = self.client(revision=schema.MODERN)
        self.assertEqual(c.error("logging/setLevel", {"level": "info"})["code"], -32601)

    def test_initialize_in_an_envelope_is_no_method(self):
        c = self.client(revision=schema.MODERN)
        e = c.error("initialize", {"protocolVersion": schema.MODERN, "capabilities": {},
                                   "clientInfo": {"name": "t", "version": "1"}})
        self.assertIn(e["code"], (-32601, -32602))
        c.alive()

    def test_partial_envelope(self):
        c = self.client(revision=None)
        whole = mcp.envelope()
        for gone in (V, CAPABILITIES):
            for method in ("tools/list", "server/discover", "tools/call"):
                with self.subTest(f"{method} without {gone}"):
                    meta = {k: v for k, v in whole.items() if k != gone}
                    params = {"_meta": meta}
                    if method == "tools/call":
                        params.update(name="run_python", arguments={"code": "1"})
                    e = c.error(method, params)
                    self.assertEqual(e["code"], -32602)
                    self.assertIn(gone.split("/")[1], e["message"])

    def test_envelope_of_the_wrong_types(self):
        c = self.client(revision=None)
        for key, value in ((V, 5), (V, None), (CAPABILITIES, "x"), (CAPABILITIES, []), (CAPABILITIES, None)):
            with self.subTest(f"{key}={value!r}"):
                e = c.error("tools/list", {"_meta": {**mcp.envelope(), key: value}})
                self.assertEqual(e["code"], -32602)

    def test_unknown_version(self):
        c = self.client(revision=None)
        for version in ("2030-01-01", "1999-12-31", "", "nonsense"):
            with self.subTest(version):
                e = c.error("server/discover", {"_meta": mcp.envelope(version)})
                self.assertEqual(e["code"], -32022)
                self.assertEqual(e["data"]["requested"], version)
                self.assertIn(schema.MODERN, e["data"]["supported"])

    def test_unknown_version_of_a_call_runs_nothing(self):
        c = self.client(revision=None)
        e = c.error("tools/call", {"name": "run_python", "arguments": {"code": "1"}, "_meta": mcp.envelope("2030-01-01")})
        self.assertEqual(e["code"], -32022)


class BothEras(ServerCase):
    def test_discover_before_initialize(self):
        c = self.client(revision=None)
        self.assertIn(schema.MODERN, c.result("server/discover", {"_meta": mcp.envelope()})["supportedVersions"])
        self.assertEqual(c.initialize("2025-06-18")["protocolVersion"], "2025-06-18")
        self.assertEqual(c.run("2").result, "2\n")

    def test_discover_without_an_envelope_is_answered(self):
        c = self.client(revision=None)
        m = c.ask("server/discover")
        if "error" in m:
            self.assertIn(m["error"]["code"], (-32601, -32602))
        c.initialize("2025-11-25")
        c.alive()

    def test_discover_after_initialize(self):
        c = self.client()
        self.assertIn(schema.MODERN, c.result("server/discover", {"_meta": mcp.envelope()})["supportedVersions"])
        c.alive()

    def test_mixed_on_one_connection(self):
        c = self.client(revision="2025-03-26")
        legacy = c.call("print('legacy')")
        modern = c.call("print('modern')", meta=mcp.envelope())
        a, b = c.outcome(legacy), c.outcome(modern)
        self.assertEqual((a.stdout, b.stdout), ("legacy\n", "modern\n"))
        self.assertNotIn("resultType", a.raw)
        self.assertEqual(b.raw["resultType"], "complete")
        c.alive()

    def test_progress_token_alone_is_no_envelope(self):
        c = self.client()
        self.assertEqual(c.run("3", meta={"progressToken": "t"}).result, "3\n")

    def test_other_meta_is_no_envelope(self):
        c = self.client()
        self.assertEqual(c.run("3", meta={"example.com/trace": {"a": 1}}).result, "3\n")


if __name__ == "__main__":
    unittest.main()
