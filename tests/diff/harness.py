"""What the differential test and the test of the intended differences share: the interpreters of
this machine and a small MCP client for one long-lived server."""

import json
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

OLDEST, NEWEST = (3, 9), (3, 13)

# One line of JSON from the interpreter itself: -S keeps site-packages out of the question.
_ABOUT = """
import json, sys, sysconfig
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": list(sys.version_info[:3]),
    "build": sys.version,
    "executable": sys.executable,
    "odd": bool(sysconfig.get_config_var("Py_GIL_DISABLED")) or hasattr(sys, "getobjects"),
}))
"""


class Interpreter:
    def __init__(self, path, about):
        self.path = path
        self.executable = about["executable"]
        self.version = tuple(about["version"])
        self.build = about["build"]  # a distribution's patches leave the version as it is

    @property
    def name(self):
        return "%d.%d.%d" % self.version


def ask_interpreter(path):
    """The Interpreter at a path, or None when it is not one that the runner supports."""
    try:
        done = subprocess.run(
            [path, "-I", "-S", "-c", _ABOUT], stdin=subprocess.DEVNULL, capture_output=True, timeout=30
        )
        about = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    if about["implementation"] != "cpython" or about["odd"]:
        return None
    if not OLDEST <= tuple(about["version"][:2]) <= NEWEST:
        return None
    return Interpreter(path, about)


def _candidates():
    for path in os.environ.get("RUNNER_TEST_PYTHONS", "").replace(",", os.pathsep).split(os.pathsep):
        if path:
            yield path
    roots = [os.environ.get("PYENV_ROOT", ""), os.path.expanduser("~/.pyenv")]
    for root in roots:
        if root:
            yield from (str(p) for p in sorted(Path(root).glob("versions/*/bin/python3")))
    folders = ["/usr/local/bin", "/usr/bin", *os.environ.get("PATH", "").split(os.pathsep)]
    for folder in folders:
        if folder:
            found = sorted(Path(folder).glob("python3*"))
            yield from (str(p) for p in found if re.fullmatch(r"python3(\.\d+)?", p.name))


def find_interpreters(given=None):
    """Every supported CPython: one of each version, or exactly the given ones."""
    if given:
        found = []
        for path in given:
            one = ask_interpreter(shutil.which(path) or path)
            if one is None:
                raise SystemExit(f"{path}: not a CPython 3.9 to 3.13 that the runner supports")
            found.append(one)
        return found
    seen, found = set(), {}
    for path in _candidates():
        real = os.path.realpath(path)
        if real in seen or not os.access(path, os.X_OK):
            continue
        seen.add(real)
        one = ask_interpreter(path)
        if one is not None:
            found.setdefault(one.version, one)
    return [found[v] for v in sorted(found)]


class ServerGone(Exception):
    pass


class Server:
    """One python-runner-mcp, spoken to from several threads."""

    def __init__(self, binary, python, temp_dir, log_path, **settings):
        env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": os.environ.get("HOME", "/"),
            "TMPDIR": str(temp_dir),
            "RUNNER_PYTHON": python,
            "RUNNER_STRUCTURED_OUTPUT": "true",
            "RUNNER_LOG_LEVEL": "WARNING",
        }
        # What a wrapper of the whole test run asked for (sanitizers) has to reach the server.
        env.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
        env.update({k: str(v) for k, v in settings.items()})
        self._log = open(log_path, "wb")
        self.log_path = log_path
        self.process = subprocess.Popen(
            [str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env=env
        )
        self._lock = threading.Lock()
        self._next_id = 0
        self._waiting = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.request(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "diff-test", "version": "1"},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message):
        line = json.dumps(message).encode() + b"\n"
        try:
            with self._lock:
                self.process.stdin.write(line)
                self.process.stdin.flush()
        except (OSError, ValueError) as e:
            raise ServerGone(str(e)) from None

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            waiter = self._waiting.pop(message.get("id"), None)
            if waiter is not None:
                waiter[1] = message
                waiter[0].set()
        for waiter in list(self._waiting.values()):
            waiter[0].set()

    def request(self, method, params, wait_s=120):
        with self._lock:
            self._next_id += 1
            number = self._next_id
        waiter = self._waiting[number] = [threading.Event(), None]
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        if not waiter[0].wait(wait_s) or waiter[1] is None:
            how = "ended with %s" % self.process.poll() if self.process.poll() is not None else "silent"
            raise ServerGone(f"no answer to {method}: the server is {how}, its log is {self.log_path}")
        if "error" in waiter[1]:
            raise ServerGone(f"{method}: {waiter[1]['error']}")
        return waiter[1]["result"]

    def run(self, code, stdin=None, timeout=None):
        """A whole tools/call result."""
        arguments = {"code": code}
        if stdin is not None:
            arguments["stdin"] = stdin
        if timeout is not None:
            arguments["timeout"] = timeout
        return self.request("tools/call", {"name": "run_python", "arguments": arguments})

    def close(self):
        """Ends it as a client does; returns its exit code."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(10)
        self.process.stdout.close()
        self._log.close()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def outcome(result):
    return result["_meta"]["python-runner/outcome"]


def text_of(result):
    return "\n".join(c["text"] for c in result["content"] if c["type"] == "text")


# Asked of the runner once: what it gives a program.
_SURROUNDINGS = """
import json, os
print(json.dumps({"environ": dict(os.environ), "cwd": os.getcwd(), "umask": os.umask(0),
                  "orig_argv": getattr(__import__("sys"), "orig_argv", None)}))
"""


class Surroundings:
    """The environment and the directories of a run, to give the reference the same."""

    def __init__(self, server):
        first = json.loads(self._ask(server))
        second = json.loads(self._ask(server))
        self.environ = first["environ"]
        self.umask = first["umask"]
        self.run_dir = os.path.commonpath(
            [first["cwd"], self.environ.get("HOME", first["cwd"]), self.environ.get("TMPDIR", first["cwd"])]
        )
        other = os.path.commonpath(
            [second["cwd"], second["environ"].get("HOME", second["cwd"]),
             second["environ"].get("TMPDIR", second["cwd"])]
        )
        self.cwd = os.path.relpath(first["cwd"], self.run_dir)
        if self.run_dir == other:
            pattern = re.escape(self.run_dir)
        else:
            # The directories of two runs differ in one name only.
            a, b = self.run_dir.split("/"), other.split("/")
            if len(a) != len(b):
                raise SystemExit(f"run directories of different depth: {self.run_dir}, {other}")
            pattern = "/".join(re.escape(x) if x == y else r"[A-Za-z0-9._-]+" for x, y in zip(a, b))
        self.pattern = re.compile(pattern)

    @staticmethod
    def _ask(server):
        result = server.run(_SURROUNDINGS)
        if outcome(result)["status"] != "exited" or outcome(result)["exit_code"] != 0:
            raise SystemExit("the runner can't run a first program:\n" + text_of(result))
        return result["structuredContent"]["stdout"]

    def has(self, server, path):
        """Whether there is such a file for a program."""
        return outcome(server.run(f"import os\nos.stat({path!r})"))["exit_code"] == 0

    def environ_in(self, base):
        return {k: self.pattern.sub(lambda _: base, v) for k, v in self.environ.items()}
