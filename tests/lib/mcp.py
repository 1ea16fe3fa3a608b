"""A raw MCP client for tests: one server process, every byte it says looked at.

Nothing is mocked and nothing is assumed about the server beyond the protocol. Waiting is for events, under a
deadline. Each line that arrives must be one valid message of its revision (schema.py); whatever is wrong with one is
collected in `faults`, and close() raises on them, so no test can overlook a bad message.
"""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import schema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SERVER = os.environ.get("TEST_SERVER") or os.path.join(ROOT, "build", "python-runner-mcp")
PYTHON = os.environ.get("TEST_PYTHON") or "/usr/bin/python3"
POSIX = os.environ.get("TEST_SANDBOX") == "posix"  # rlimits and process groups: a session can leave them
SANITIZED = bool(os.environ.get("TEST_SANITIZED"))  # shadow memory and quarantine make sizes meaningless
SLOW = float(os.environ.get("TEST_SLOW") or 1)  # how much slower an instrumented server may be
META = "python-runner/outcome"
ENVELOPE = "io.modelcontextprotocol/"
PASSED_ON = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")  # all that clients pass on
DEADLINE = 20 * SLOW
LINE_MAX = 10 * 1024 * 1024  # a longer line closes the transport of a common client


def client_env(extra=None):
    env = {k: os.environ[k] for k in PASSED_ON if k in os.environ}
    env["RUNNER_PYTHON"] = PYTHON
    for key in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if key in os.environ:
            env[key] = os.environ[key]
    env.update(extra or {})
    return {k: v for k, v in env.items() if v is not None}


def envelope(revision=schema.MODERN, **more):
    """The `_meta` of a request of the modern era. Keywords: progressToken, logLevel."""
    meta = {ENVELOPE + "protocolVersion": revision, ENVELOPE + "clientCapabilities": {},
            ENVELOPE + "clientInfo": {"name": "tests", "version": "1"}}
    if "logLevel" in more:
        meta[ENVELOPE + "logLevel"] = more.pop("logLevel")
    meta.update(more)
    return meta


def id_key(i):
    return (type(i).__name__, i)


def _no_constant(word):
    raise ValueError(f"{word} is not JSON")


def _strict_object(pairs):
    d = dict(pairs)
    if len(d) != len(pairs):
        raise ValueError(f"a key twice in {[k for k, _ in pairs]}")
    return d


class Client:
    """One server process and one conversation with it.

    revision: what initialize asks for; None leaves the handshake to the test; MODERN needs none.
    """

    def __init__(self, env=None, revision=schema.LATEST_LEGACY, args=(), argv=None, read_stderr=True, tmp=None, **popen):
        self.tmp = tmp or tempfile.mkdtemp(prefix="runner-test-")
        os.chmod(self.tmp, 0o700)
        self.env = dict(env or {})
        self.revision = revision or schema.LATEST_LEGACY
        self.modern = revision == schema.MODERN
        self.cond = threading.Condition()
        self.messages = []  # (seconds, message)
        self.log = []  # lines of stderr
        self.faults = []
        self.eof = False
        self.exit_time = None
        self._next = 0
        self._asked = collections.defaultdict(list)  # id -> methods not answered yet, with their revisions
        self._answers = collections.defaultdict(list)  # id -> (seconds, message)
        self._tokens = {}  # progress token -> id
        self._reading = threading.Event()
        self._reading.set()
        self._buffered = b""
        self.argv = list(argv or [SERVER, *args])
        popen.setdefault("stderr", subprocess.PIPE)
        popen.setdefault("start_new_session", True)
        self.started = time.monotonic()
        self.proc = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                     env=client_env({"TMPDIR": self.tmp, **(env or {})}), **popen)
        self.pid = self.proc.pid
        self._threads = [threading.Thread(target=self._read_stdout, daemon=True)]
        if read_stderr and self.proc.stderr:
            self._threads.append(threading.Thread(target=self._read_stderr, daemon=True))
        for t in self._threads:
            t.start()
        if revision and not self.modern:
            self.init_result = self.initialize(revision)

    # -- what comes in

    def pause_reading(self):
        self._reading.clear()

    def resume_reading(self):
        self._reading.set()

    def _read_stdout(self):
        fd = self.proc.stdout.fileno()
        parts = []  # a long line is joined once, not once a read
        while True:
            self._reading.wait()
            try:
                data = os.read(fd, 1 << 16)
            except OSError:
                data = b""
            if not data:
                break
            *lines, rest = data.split(b"\n")
            for line in lines:
                self._line(b"".join(parts) + line)
                parts.clear()
            if rest:
                parts.append(rest)
        with self.cond:
            if parts:
                self.faults.append(f"output ended within a line: {b''.join(parts)[:200]!r}")
            self.eof = True
            self.cond.notify_all()

    def _read_stderr(self):
        for line in self.proc.stderr:
            with self.cond:
                self.log.append(line.decode("utf-8", "replace"))
                self.cond.notify_all()

    def _line(self, line):
        now = time.monotonic()
        faults = []
        message = None
        try:
            text = line.decode("utf-8")
            if line.endswith(b"\r"):
                faults.append("a line that ends in CR LF")
            if "\u2028" in text or "\u2029" in text:
                faults.append("a raw U+2028 or U+2029")
            if len(line) > LINE_MAX:
                faults.append(f"a line of {len(line)} bytes")
            message = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_strict_object)
            json.dumps(message, ensure_ascii=False).encode("utf-8")  # a lone surrogate is no text
        except ValueError as e:
            faults.append(f"not a message ({e}): {line[:200]!r}")
        with self.cond:
            if isinstance(message, list):
                if self.revision != "2025-03-26":
                    faults.append(f"a batch in {self.revision}")
                if not message:
                    faults.append("an empty batch")
                for m in message:
                    self._take(now, m, faults)
            elif message is not None:
                self._take(now, message, faults)
            if message is not None:
                self.messages.append((now, message))
            self.faults += faults
            self.cond.notify_all()

    def _take(self, now, m, faults):
        if not isinstance(m, dict):
            faults.append(f"no object: {m!r:.200}")
        elif "method" in m:
            if "id" in m:
                faults.append(f"the server sent a request: {m!r:.200}")
            token = (m.get("params") or {}).get("progressToken")
            key = self._tokens.get(id_key(token)) if token is not None else None
            revision = self.revision
            if m["method"] == "notifications/progress":
                if key is None:
                    faults.append(f"progress for a token nobody gave: {m!r:.200}")
                elif self._answers[key]:
                    faults.append(f"progress after the answer: {m!r:.200}")
                else:
                    revision = self._asked[key][0][1] if self._asked[key] else revision
            faults += schema.check_notification(revision, m)
        elif "id" not in m:
            faults += schema.check_response(self.revision, None, m)
            if "error" not in m:
                faults.append(f"a result without an id: {m!r:.200}")
        else:
            key = id_key(m["id"])
            if not self._asked[key]:
                faults.append(f"an answer nobody waits for: {m!r:.300}")
                faults += schema.check_response(self.revision, None, m)
            else:
                method, revision = self._asked[key].pop(0)
                faults += [f"{method}: {f}" for f in schema.check_response(revision, method, m)]
                if revision == schema.MODERN and "result" in m:
                    info = ((m["result"] or {}).get("_meta") or {}).get(ENVELOPE + "serverInfo")
                    if not info:
                        faults.append(f"{method}: no serverInfo in _meta")
            self._answers[key].append((now, m))

    # -- what goes out

    def send_raw(self, data):
        view = memoryview(data)
        fd = self.proc.stdin.fileno()
        while view:
            view = view[os.write(fd, view):]

    def expect(self, i, method="tools/call", revision=None):
        """Registers an id of a message that a test writes by hand."""
        with self.cond:
            self._asked[id_key(i)].append((method, revision or self.revision))

    def note_request(self, m):
        if isinstance(m, dict) and "id" in m and "method" in m and isinstance(m["id"], (str, int, float)):
            params = m.get("params") if isinstance(m.get("params"), dict) else {}
            meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
            revision = meta.get(ENVELOPE + "protocolVersion", self.revision)
            if m["method"] == "initialize" and ENVELOPE + "protocolVersion" not in meta:
                asked = params.get("protocolVersion")
                revision = asked if asked in schema.LEGACY else schema.LATEST_LEGACY
            if revision not in schema.REVISIONS:
                revision = schema.MODERN
            with self.cond:
                self._asked[id_key(m["id"])].append((m["method"], revision))
                if isinstance(meta.get("progressToken"), (str, int)):
                    self._tokens[id_key(meta["progressToken"])] = id_key(m["id"])

    def send(self, message, end=b"\n"):
        for m in message if isinstance(message, list) else [message]:
            self.note_request(m)
        self.send_raw(json.dumps(message, ensure_ascii=False).encode("utf-8") + end)

    def new_id(self):
        self._next += 1
        return self._next

    def message(self, method, params=None, i=None, meta=None):
        if self.modern or meta:
            params = dict(params or {})
            given = params.get("_meta", {})
            params["_meta"] = {**(envelope() if self.modern else {}), **(meta or {}), **given}
        m = {"jsonrpc": "2.0", "id": self.new_id() if i is None else i, "method": method}
        if params is not None:
            m["params"] = params
        return m

    def request(self, method, params=None, i=None, meta=None):
        m = self.message(method, params, i, meta)
        self.send(m)
        return m["id"]

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def cancel(self, i, reason=None):
        params = {"requestId": i, **({"reason": reason} if reason else {})}
        if self.modern:
            params["_meta"] = envelope()
        self.notify("notifications/cancelled", params)

    # -- waiting

    def wait(self, predicate, what, timeout=None):
        """Returns the predicate's value once it is true; looks again whenever something arrives."""
        timeout = DEADLINE if timeout is None else timeout
        with self.cond:
            value = self.cond.wait_for(lambda: predicate() or (self.eof and "eof"), timeout)
            value = predicate()
            if not value:
                state = "the server closed its stdout" if self.eof else f"nothing in {timeout:g} s"
                raise AssertionError(f"{what}: {state}; log: {''.join(self.log[-15:])}; last: {self.messages[-2:]!r:.600}")
            return value

    def answer(self, i, timeout=None):
        """The newest answer to this id."""
        key = id_key(i)
        return self.wait(lambda: self._answers[key] and not self._asked[key] and self._answers[key][-1][1],
                         f"answer to {i!r}", timeout)

    def answer_time(self, i):
        with self.cond:
            return self._answers[id_key(i)][-1][0]

    def answers(self, i):
        with self.cond:
            return [m for _, m in self._answers[id_key(i)]]

    def ask(self, method, params=None, timeout=None, i=None, meta=None):
        return self.answer(self.request(method, params, i, meta), timeout)

    def result(self, method, params=None, timeout=None, i=None, meta=None):
        m = self.ask(method, params, timeout, i, meta)
        if "result" not in m:
            raise AssertionError(f"{method}: {m['error']}")
        return m["result"]

    def error(self, method, params=None, timeout=None, i=None, meta=None):
        m = self.ask(method, params, timeout, i, meta)
        if "error" not in m:
            raise AssertionError(f"{method}: a result where an error was due: {m!r:.300}")
        return m["error"]

    def notifications(self, method=None):
        with self.cond:
            return [(t, m) for t, m in self.messages
                    if isinstance(m, dict) and "method" in m and (method is None or m["method"] == method)]

    def unaddressed(self):
        with self.cond:
            return [m for _, m in self.messages if isinstance(m, dict) and "error" in m and "id" not in m]

    def wait_log(self, pattern, timeout=None):
        regex = re.compile(pattern)
        return self.wait(lambda: next((m for m in map(regex.search, self.log) if m), None), f"log line {pattern!r}", timeout)

    def alive(self):
        """The conversation goes on: a request is answered after everything sent so far was read."""
        return self.ask("tools/list") if self.modern else self.ask("ping")

    # -- the protocol

    def initialize(self, revision):
        result = self.result("initialize", {"protocolVersion": revision, "capabilities": {},
                                            "clientInfo": {"name": "tests", "version": "1"}})
        self.revision = result["protocolVersion"]
        self.notify("notifications/initialized")
        return result

    def call(self, code, i=None, meta=None, name="run_python", **arguments):
        return self.request("tools/call", {"name": name, "arguments": {"code": code, **arguments}}, i, meta)

    def run(self, code, deadline=None, meta=None, **arguments):
        return self.outcome(self.call(code, None, meta, **arguments), deadline)

    def outcome(self, i, timeout=None):
        m = self.answer(i, DEADLINE + 60 if timeout is None else timeout)
        if "result" not in m:
            raise AssertionError(f"call {i!r}: {m['error']}")
        return Outcome(m["result"])

    def start_marked(self, code, marker="started", **arguments):
        """Calls `code` with a progress token and waits until the program has printed `marker` as a line.

        The oldest revision has no words in its progress: any notification is a sign of life there.
        """
        token = f"mark-{self.new_id()}"
        i = self.call(code, None, {"progressToken": token}, **arguments)
        words = [marker] if self.revision != "2024-11-05" else [marker, None]
        self.wait(lambda: any(m["params"].get("progressToken") == token and m["params"].get("message") in words
                              for _, m in self.notifications("notifications/progress")), f"{marker!r} of {code[:80]!r}")
        return i

    # -- the end

    def close_stdin(self):
        try:
            self.proc.stdin.close()
        except OSError:
            pass

    def wait_exit(self, timeout=None):
        try:
            code = self.proc.wait(DEADLINE if timeout is None else timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the server still runs after {timeout} s; log: {''.join(self.log[-15:])}") from None
        self.exit_time = time.monotonic()
        return code

    def close(self, check=True):
        """Ends the server as clients do; raises on every fault that was seen on the way."""
        self._reading.set()
        problem = None
        if self.proc.poll() is None:
            self.close_stdin()
            try:
                code = self.proc.wait(5 * SLOW)
                if code != 0:
                    problem = f"exit status {code} at the end of stdin"
            except subprocess.TimeoutExpired:
                problem = "no exit within 5 s of the end of stdin"
                self.proc.send_signal(signal.SIGKILL)
                self.proc.wait()
        self.close_stdin()
        for t in self._threads:
            t.join(5)
        for f in (self.proc.stdout, self.proc.stderr):
            if f and not any(t.is_alive() for t in self._threads):
                f.close()
        left = sorted(os.listdir(self.tmp)) if os.path.isdir(self.tmp) else []
        shutil.rmtree(self.tmp, ignore_errors=True)
        if check:
            said = [line for line in self.log if "AddressSanitizer" in line or "runtime error:" in line or "LeakSanitizer" in line]
            faults = self.faults + ([problem] if problem else []) + ([f"left in the temporary folder: {left}"] if left else []) + said
            if faults:
                raise AssertionError("faults of the server:\n  " + "\n  ".join(map(str, faults[:12])) +
                                     ("\n  log: " + "".join(self.log[-20:]) if problem or said else ""))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close(check=kind is None)


LAST = {
    "exited": r"exit_code: (?P<code>-?\d+) \| duration: (?P<duration>\d+\.\d{3})s",
    "signaled": r"exit_code: -(?P<signal>\d+) \((?P<name>SIG[A-Z0-9+]+)\) \| duration: (?P<duration>\d+\.\d{3})s",
    "timeout": r"timeout: killed after (?P<limit>\d+(?:\.\d*[1-9])?)s \| duration: (?P<duration>\d+\.\d{3})s",
    "cpu_limit": r"cpu limit: (?P<limit>\d+(?:\.\d*[1-9])?)s exceeded \| duration: (?P<duration>\d+\.\d{3})s",
    "memory_limit": r"memory limit: (?P<limit>\d+) MB exceeded \| exit_code: -9 \(SIGKILL\) \| duration: (?P<duration>\d+\.\d{3})s",
}
SECTIONS = ["stdout", "stderr", "result", "files", "note"]
STREAM_KEYS = {"bytes", "truncated"}
OUTCOME_KEYS = {"request_id", "status", "exit_code", "signal", "duration_ms", "cpu_ms", "max_rss_kb", "queued_ms",
                "stdout", "stderr", "result"}


class Outcome:
    """A tools/call result, its text taken apart to the letter. Raises AssertionError where the text is not of the form."""

    def __init__(self, result):
        self.raw = result
        texts = [c["text"] for c in result["content"] if c["type"] == "text"]
        assert len(texts) == len(result["content"]) == 1, f"content is not one text: {result['content']!r:.300}"
        self.text = texts[0]
        self.is_error = result.get("isError", False)
        self.meta = result["_meta"][META]
        self._check_meta()
        match = re.match(r"\[request_id=([0-9a-f]{8})\]\n", self.text)
        assert match, f"no request line: {self.text[:100]!r}"
        assert match[1] == self.meta["request_id"], f"two request ids: {match[1]} {self.meta['request_id']}"
        self.body = self.text[match.end():]
        self.sections = {}
        self.last = None
        if self.is_error:
            assert self.status in ("rejected", "sandbox_error"), f"isError with status {self.status}"
            return
        assert self.status in LAST, f"status {self.status} without isError"
        self._take_apart()

    def _check_meta(self):
        m = self.meta
        assert set(m) == OUTCOME_KEYS, f"outcome has {sorted(set(m) ^ OUTCOME_KEYS)} too much or too little"
        self.status, self.exit_code, self.signal = m["status"], m["exit_code"], m["signal"]
        for key in ("exit_code", "signal"):
            assert m[key] is None or type(m[key]) is int, f"{key}: {m[key]!r}"
        for key in ("duration_ms", "cpu_ms", "max_rss_kb", "queued_ms"):
            assert type(m[key]) in (int, float) and m[key] >= 0, f"{key}: {m[key]!r}"
        for key in ("stdout", "stderr", "result"):
            assert set(m[key]) == STREAM_KEYS, f"{key}: {m[key]!r}"
            assert type(m[key]["bytes"]) is int and type(m[key]["truncated"]) is bool, f"{key}: {m[key]!r}"
        if self.status == "exited":
            assert m["exit_code"] is not None and m["signal"] is None, m
        if self.status in ("signaled", "memory_limit"):
            assert m["signal"] is not None, m
        if self.status == "timeout":
            assert m["exit_code"] is None, m

    def _take_apart(self):
        lines = self.body.rstrip("\n").rsplit("\n", 1)
        last = lines[-1]
        match = re.fullmatch(r"--- (.*) ---", last)
        assert match, f"last line: {last!r}"
        self.last = match[1]
        self.ended = re.fullmatch(LAST[self.status], self.last)
        assert self.ended, f"{self.status} ends in {last!r}"
        rest = self.body[:self.body.rindex(last)]
        # A section: its header line, its body ending in one newline, one empty line.
        names = "|".join(SECTIONS)
        at = 0
        order = []
        header = re.compile(rf"--- ({names}) ---\n")
        while at < len(rest):
            m = header.match(rest, at)
            assert m, f"no section header at {rest[at:at + 60]!r}"
            later = SECTIONS[SECTIONS.index(m[1]) + 1:]
            end = len(rest)
            if later:
                n = re.compile(rf"\n\n--- (?:{'|'.join(later)}) ---\n").search(rest, m.end() - 1)
                end = n.start() + 2 if n else end
            body = rest[m.end():end]
            assert body.endswith("\n\n"), f"section {m[1]} ends in {body[-20:]!r}"
            assert m[1] not in self.sections, f"section {m[1]} twice"
            self.sections[m[1]] = body[:-1]
            order.append(m[1])
            at = end
        assert order == sorted(order, key=SECTIONS.index), f"sections in the order {order}"
        assert order, "no section at all"

    @property
    def stdout(self):
        return self.sections.get("stdout", "")

    @property
    def stderr(self):
        return self.sections.get("stderr", "")

    @property
    def result(self):
        return self.sections.get("result", "")

    @property
    def note(self):
        return self.sections.get("note", "")

    def __repr__(self):
        return f"<Outcome {self.status} exit={self.exit_code} signal={self.signal} {self.text[:1500]!r}>"
