#!/usr/bin/env python3
"""Writes the files that show others how to start the server, from what the program itself says.

    examples.py [--check] [PROGRAM]    PROGRAM: build/python-runner-mcp when not given

openclaw.gateway.example.json and claude_desktop_config.example.json have both blocks of `config`; server.json is for the MCP
registry. With --check nothing is written, and a file that is not as it would be is named; exit status 1.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INSTALLED = "/usr/local/bin/python-runner-mcp"  # where `meson install` puts it
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
CHOICES = {"auto, strict or rlimits": ["auto", "strict", "rlimits"], "text or json": ["text", "json"],
           "DEBUG, INFO, WARNING or ERROR": ["DEBUG", "INFO", "WARNING", "ERROR"]}
# Their default depends on another variable, so nobody may hand it on as a value.
DEPENDENT = ("RUNNER_DEFAULT_TIMEOUT_SEC", "RUNNER_WARM_WORKERS")
# Means nothing in the container, which has one interpreter.
LOCAL = ("RUNNER_PYTHON",)


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def says(self, *args):
        """Its output in an environment with nothing of ours, and with something called docker on PATH."""
        with tempfile.TemporaryDirectory() as folder:
            os.symlink("/bin/true", os.path.join(folder, "docker"))
            done = subprocess.run([self.path, *args], capture_output=True, text=True, check=True, env={"PATH": folder})
        return done.stdout

    def servers(self, client, keys, *options):
        doc = inner = json.loads(self.says("config", client, *options))
        for key in keys:
            inner = inner[key]
        return doc, inner

    def variables(self):
        """(name, meaning, what is allowed, default), from --help."""
        text = self.says("--help").split("\nEnvironment:\n")[1].split("\nExit status:")[0]
        for part in re.split(r"\n(?=  RUNNER_)", "\n" + text.strip("\n")):
            if part.strip():
                name, rest = part.split(None, 1)
                yield name, *re.fullmatch(r"(.*); (.*), default (\S+)", " ".join(rest.split())).groups()


def both_blocks(program, client, keys):
    doc, servers = program.servers(client, keys)
    servers["python-runner"]["command"] = INSTALLED
    _, more = program.servers(client, keys, "--docker")
    servers["python-runner-docker"] = {**more["python-runner-docker"], "command": "docker"}
    return doc


def environment_variable(name, meaning, allowed, default):
    row = {"name": name, "description": meaning[0].upper() + meaning[1:]}
    if "number" in allowed:
        row["format"] = "number"
    elif allowed == "true or false":
        row["format"] = "boolean"
    if allowed in CHOICES:
        row["choices"] = CHOICES[allowed]
    if name not in DEPENDENT:
        row["default"] = default
    return row


def runtime_arguments(args):
    """Those of `docker run -i --rm ... IMAGE` between the two; the first three are the client's own."""
    assert args[:3] == ["run", "-i", "--rm"], args
    words = args[3:-1]
    rows = []
    while words:
        name, _, value = words.pop(0).partition("=")
        if not value and words and not words[0].startswith("-"):
            value = words.pop(0)
        rows.append({"type": "named", "name": name, **({"value": value} if value else {})})
    return rows


def server_json(program):
    version = program.says("--version").split()[1]
    _, servers = program.servers("cursor", ["mcpServers"], "--docker")
    args = servers["python-runner-docker"]["args"]
    with open(os.path.join(ROOT, "packaging", "mcpb", "manifest.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    return {
        "$schema": SCHEMA,
        "name": "io.github.turhal-ai/python-runner-mcp",
        "title": manifest["display_name"],
        "description": manifest["description"],
        "version": version,
        "packages": [{
            "registryType": "oci",
            "identifier": args[-1].rpartition(":")[0] + ":" + version,
            "runtimeHint": "docker",
            "runtimeArguments": runtime_arguments(args),
            "transport": {"type": "stdio"},
            "environmentVariables": [environment_variable(*v) for v in program.variables() if v[0] not in LOCAL],
        }],
    }


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--check", action="store_true")
    p.add_argument("program", nargs="?", default=os.path.join(ROOT, "build", "python-runner-mcp"))
    a = p.parse_args()
    program = Program(a.program)
    files = {"openclaw.gateway.example.json": both_blocks(program, "openclaw", ["mcp", "servers"]),
             "claude_desktop_config.example.json": both_blocks(program, "claude-desktop", ["mcpServers"]),
             "server.json": server_json(program)}
    stale = []
    for name, doc in files.items():
        path = os.path.join(ROOT, name)
        text = json.dumps(doc, indent=2, ensure_ascii=False) + "\n"
        if not a.check:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            continue
        with open(path, encoding="utf-8") as f:
            if f.read() != text:
                stale.append(name)
    if stale:
        sys.exit(f"examples.py: not as the program says: {', '.join(stale)}; packaging/examples.py writes them anew")


if __name__ == "__main__":
    main()
