"""docs/PROTOCOL.md against a real server and against the constants in the sources."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))

import mcp
import schema
from cases import ServerCase


def read(*path):
    with open(os.path.join(mcp.ROOT, *path), encoding="utf-8") as f:
        return f.read()


def table(heading):
    """The rows of the first table below a heading, without their code marks."""
    part = read("docs", "PROTOCOL.md").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [[c.strip().replace("`", "") for c in line.split("|")[1:-1]] for line in part.splitlines() if line.startswith("|")]
    return rows[2:]


class Protocol(ServerCase):
    def test_revisions(self):
        rows = table("Revisions")
        self.assertEqual([r[0] for r in rows], list(schema.REVISIONS))
        flags = re.findall(r'\{\.version = "([^"]+)"(.*?)\}', read("src", "mcp", "eras.c"), re.S)
        for row, (version, members) in zip(rows, flags):
            has = [f"{m} = true" in members for m in (".modern", ".batches", ".annotations", ".titles", ".errors_without_id")]
            self.assertEqual(row, [version, "modern" if has[0] else "legacy", *("yes" if h else "no" for h in has[1:])])
            if not has[0]:
                c = self.client(revision=version)
                self.assertEqual(c.init_result["protocolVersion"], version)
                self.assertEqual(set(c.init_result["capabilities"]), {"tools", "logging"})

    def test_methods(self):
        rows = table("Methods")
        named = set(re.findall(r'^ *\{"([\w/]+)", (?:true|false)', read("src", "mcp", "methods.c"), re.M))
        self.assertEqual({r[0] for r in rows}, named)
        for column, revision in ((1, schema.LATEST_LEGACY), (2, schema.MODERN)):
            c = self.client(revision=revision)
            for row in rows:
                if row[0] == "initialize" or row[0] == "subscriptions/listen" and row[column] == "yes":
                    continue  # the one has happened, or is legacy whatever the metadata; the other is not answered
                m = c.ask(row[0], {"name": "x", "uri": "file:///x", "level": "info"} if row[0] in
                          ("tools/call", "prompts/get", "resources/read", "logging/setLevel") else None)
                refused = m.get("error", {}).get("code") == -32601 or "_meta keys" in m.get("error", {}).get("message", "")
                self.assertEqual(row[column], "no" if refused else "yes", (revision, row[0], m))

    def test_the_tool(self):
        c = self.client(revision=schema.LATEST_LEGACY)
        (tool,) = c.result("tools/list")["tools"]
        self.assertEqual([r[0] for r in table("The tool")], list(tool["inputSchema"]["properties"]))
        for row in table("The tool"):
            self.assertEqual("required" in row[1], row[0] in tool["inputSchema"]["required"])
            self.assertTrue(row[1].startswith(tool["inputSchema"]["properties"][row[0]]["type"]))

    def test_members_of_the_outcome(self):
        c = self.client({"RUNNER_STRUCTURED_OUTPUT": "true"})
        result = c.result("tools/call", {"name": "run_python", "arguments": {"code": "1"}})
        rows = table("The result in data")
        self.assertEqual({r[0] for r in rows}, set(result["_meta"][mcp.META]))
        self.assertEqual({r[0] for r in rows}, set(result["structuredContent"]))
        (tool,) = c.result("tools/list")["tools"]
        known = tool["outputSchema"]["properties"]["status"]["enum"]
        (words,) = [r[1] for r in rows if r[0] == "status"]
        self.assertEqual(re.findall(r"[a-z_]+(?=,| \(| or )", re.sub(r"\(.*?\)", "(", words)), known)

    def test_errors(self):
        named = {r[0] for r in table("Errors")}
        self.assertEqual(named, set(re.findall(r"= (-32\d+)", read("src", "rpc", "message.h"))) - {"-32020", "-32021"})
        c = self.client(revision=schema.MODERN)
        self.assertEqual(c.error("resources/read", {"uri": "x"})["code"], -32602)
        c = self.client(revision=schema.LATEST_LEGACY)
        self.assertEqual(c.error("resources/read", {"uri": "x"})["code"], -32002)

    def test_limits(self):
        limits = dict(table("Limits"))
        sources = {"an id, or a progress token": ("src/rpc/scan.h", r"RPC_SCAN_ID_MAX = (\d+)", "{} bytes"),
                   "messages in a batch": ("src/mcp/batch.h", r"MCP_BATCH_MAX = (\d+)", "{}"),
                   "open subscriptions": ("src/mcp/peer.h", r"MCP_LISTENS_MAX = (\d+)", "{}"),
                   "nesting of JSON": ("src/json/json.c", r"may nest (\d+) deep", "{}"),
                   "an answer": ("src/mcp/peer.h", r"MCP_REPLY_MAX = (10) \* 1024 \* 1024 - 64 \* 1024", "{} MiB less 64 KiB"),
                   "answers that the client does not read":
                       ("src/rpc/stdio.h", r"RPC_STDIO_BACKLOG = (\d+) \* 1024 \* 1024", "{} MiB")}
        for what, (file, pattern, form) in sources.items():
            value = re.search(pattern, read(file))[1]
            self.assertTrue(limits[what].startswith(form.format(value)), what)


if __name__ == "__main__":
    unittest.main()
