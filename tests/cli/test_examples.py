"""The files that show others how to start the server: as the program says, and as their readers want them."""
import json
import re

import jsonschema

from cli import *

# What the MCP registry's published schema (server.schema.json of 2025-12-11) asks of the parts that are used here, and stricter
# where a part that is not used would slip in.
TEXT = {"type": "string", "minLength": 1}
SERVER_JSON = {
    "type": "object", "additionalProperties": False,
    "required": ["$schema", "name", "title", "description", "version", "packages"],
    "properties": {
        "$schema": {"pattern": r"^https://static\.modelcontextprotocol\.io/schemas/\d{4}-\d\d-\d\d/server\.schema\.json$"},
        "name": {"type": "string", "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        "title": {**TEXT, "maxLength": 100},
        "description": {**TEXT, "maxLength": 100},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "packages": {"type": "array", "minItems": 1, "items": {
            "type": "object", "additionalProperties": False, "required": ["registryType", "identifier", "transport"],
            "properties": {
                "registryType": {"const": "oci"},
                "identifier": {"type": "string", "pattern": r"^[a-z0-9-]+/[a-z0-9-]+:\d+\.\d+\.\d+$"},
                "runtimeHint": {"const": "docker"},
                "runtimeArguments": {"type": "array", "items": {
                    "type": "object", "additionalProperties": False, "required": ["type", "name"],
                    "properties": {"type": {"const": "named"}, "name": {"type": "string", "pattern": "^--"}, "value": TEXT}}},
                "transport": {"type": "object", "additionalProperties": False, "required": ["type"],
                              "properties": {"type": {"const": "stdio"}}},
                "environmentVariables": {"type": "array", "items": {
                    "type": "object", "additionalProperties": False, "required": ["name", "description"],
                    "properties": {"name": {"pattern": "^RUNNER_[A-Z_]+$"}, "description": TEXT, "default": TEXT,
                                   "format": {"enum": ["string", "number", "boolean", "filepath"]},
                                   "choices": {"type": "array", "items": TEXT}}}},
            }}}}}


def load(*name):
    with open(os.path.join(ROOT, *name), encoding="utf-8") as f:
        return json.load(f)


class Examples(CliCase):
    def test_they_are_as_the_program_says(self):
        p = subprocess.run([PYTHON, os.path.join(ROOT, "packaging", "examples.py"), "--check", BIN], capture_output=True,
                           text=True, timeout=LIMIT)
        self.assertEqual((p.returncode, p.stdout, p.stderr), (0, "", ""))

    def test_openclaw_waits_longer_than_a_run_and_the_queue(self):
        servers = load("openclaw.gateway.example.json")["mcp"]["servers"]
        self.assertEqual(list(servers), ["python-runner", "python-runner-docker"])
        for entry in servers.values():
            self.assertEqual((entry["requestTimeoutMs"], entry["transport"], entry["enabled"]), (90000, "stdio", True))

    def test_the_page_for_people_has_the_blocks(self):
        with open(os.path.join(ROOT, "docs", "CLIENTS.md"), encoding="utf-8") as f:
            page = f.read()
        pasted = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", page, re.M | re.S)]
        for client, keys in (("claude-desktop", ["mcpServers"]), ("vscode", ["servers"]), ("openclaw", ["mcp", "servers"])):
            doc = inner = json.loads(call("config", client, RUNNER_PYTHON=None).out)
            for key in keys:
                inner = inner[key]
            inner["python-runner"]["command"] = "/usr/local/bin/python-runner-mcp"
            self.assertIn(doc, pasted, client)
        args = load("claude_desktop_config.example.json")["mcpServers"]["python-runner-docker"]["args"]
        self.assertIn("\ndocker " + " ".join(args) + "\n", page)

    def test_server_json(self):
        doc = load("server.json")
        jsonschema.Draft202012Validator(SERVER_JSON).validate(doc)
        self.assertEqual(doc["packages"][0]["identifier"].rpartition(":")[2], doc["version"])
        names = [v["name"] for v in doc["packages"][0]["environmentVariables"]]
        self.assertEqual(names, [n for n in variables() if n != "RUNNER_PYTHON"])
        for broken in ({**doc, "name": "python-runner-mcp"}, {**doc, "description": "x" * 101}, {**doc, "packages": [{}]}):
            self.assertFalse(jsonschema.Draft202012Validator(SERVER_JSON).is_valid(broken))

    def test_the_form_of_the_bundle_has_our_ranges(self):
        form = load("packaging", "mcpb", "manifest.json")
        given = form["server"]["mcp_config"]["env"]
        ours = numbers()
        for name, setting in (("RUNNER_MAX_TIMEOUT_SEC", "timeout"), ("RUNNER_MAX_MEMORY_MB", "memory")):
            self.assertEqual(given[name], f"${{user_config.{setting}}}")
            row = form["user_config"][setting]
            self.assertEqual((float(row["min"]), float(row["max"])), tuple(map(float, ours[name][:2])))
            self.assertEqual(str(row["default"]), variables()[name][1])
        self.assertEqual(given["RUNNER_PYTHON"], "${user_config.interpreter}")
        self.assertEqual(form["user_config"]["interpreter"]["default"], "")


if __name__ == "__main__":
    unittest.main()
