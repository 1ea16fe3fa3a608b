#!/usr/bin/env python3
"""What the benchmark compares with: the tool of the README as one would write it in asyncio, without C and without a sandbox.

An MCP server on standard input and output. Each call of run_python is a process of its own, `python3 -I -S main.py` in a
fresh temporary directory, in a session of its own, with a clean environment, under resource limits set between fork and exec,
with a timeout, bounded output and the same words as a result. Calls beyond RUNNER_MAX_CONCURRENT wait in order.

It is meant to be as fast as this design can be: output comes straight from the event loop's callbacks, the end of a process
from a pidfd and not from a thread, the answer leaves before the directory is removed, nothing is logged. Left out, all in its
favour: the value of a last expression, top-level await, Markdown fences, line-buffered stdout, the CPU time of a run's
children, and a limit on processes (RLIMIT_NPROC counts a whole user). What it does not do at all is keep a program away from
the files, processes and network of the machine.

The limits are set between fork and exec, as the README promises hard ones. That costs a copy of this process's page tables; to
set them from outside once the program runs, prlimit(2), is faster, but comes too late for a program that is quick.
"""
import asyncio
import codecs
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OUTCOME = "python-runner/outcome"
LINE_BYTES_MAX = 16 * 1024 * 1024
PIPES_HELD_SEC = 0.2  # by a child that left the session: what it still writes is not waited for
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def setting(name, default, kind=float):
    return kind(os.environ.get("RUNNER_" + name) or default)


PYTHON = setting("PYTHON", sys.executable, str)
DEFAULT_TIMEOUT = setting("DEFAULT_TIMEOUT_SEC", 10)
MAX_TIMEOUT = setting("MAX_TIMEOUT_SEC", 60)
MAX_CHARS = setting("MAX_OUTPUT_CHARS", 20000, int)
MEMORY_MB = setting("MAX_MEMORY_MB", 256, int)
CPU_SECONDS = setting("MAX_CPU_SECONDS", 10, int)
FILE_MB = setting("MAX_FILE_SIZE_MB", 10, int)
CONCURRENT = setting("MAX_CONCURRENT", 4, int)
QUEUE = setting("MAX_QUEUE", 256, int)

THREADS = str(min(os.cpu_count() or 1, 4))
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "OMP_NUM_THREADS": THREADS,
               "OPENBLAS_NUM_THREADS": THREADS, "MKL_NUM_THREADS": THREADS}
LIMITS = [(resource.RLIMIT_AS, MEMORY_MB << 20, MEMORY_MB << 20), (resource.RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS + 1),
          (resource.RLIMIT_FSIZE, FILE_MB << 20, FILE_MB << 20), (resource.RLIMIT_CORE, 0, 0)]

TOOL = {
    "name": "run_python", "title": "Run Python",
    "description": f"Runs a Python program in a fresh CPython process of its own and returns what it printed. Limits: "
                   f"{DEFAULT_TIMEOUT:g}s of wall clock unless `timeout` says otherwise (at most {MAX_TIMEOUT:g}s), "
                   f"{CPU_SECONDS}s of CPU time, {MEMORY_MB} MB of memory, {MAX_CHARS} characters each of stdout and stderr.",
    "inputSchema": {"type": "object", "required": ["code"], "additionalProperties": False, "properties": {
        "code": {"type": "string", "description": "The Python program to run."},
        "timeout": {"type": "number", "exclusiveMinimum": 0, "description": "Seconds of wall clock the program may take."},
        "stdin": {"type": "string", "description": "The program's standard input."}}},
}


class Kept:
    """The beginning and the end of a stream, in code points; the middle is counted."""

    def __init__(self, max_chars):
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.head_max, self.tail_max = max_chars // 2, max_chars - max_chars // 2
        self.head, self.tail, self.chars, self.bytes = "", "", 0, 0

    def feed(self, data, final=False):
        text = self.decoder.decode(data, final)
        self.bytes += len(data)
        self.chars += len(text)
        room = self.head_max - len(self.head)
        if room > 0:
            self.head += text[:room]
            text = text[room:]
        if len(text) >= self.tail_max:
            self.tail = text[-self.tail_max:]
        elif text:
            self.tail = (self.tail + text)[-self.tail_max:]

    @property
    def omitted(self):
        return self.chars - len(self.head) - len(self.tail)

    def text(self):
        if self.omitted == 0:
            return self.head + self.tail
        newline = "" if self.head.endswith("\n") else "\n"
        return f"{self.head}{newline}\u2026 [{self.omitted} characters omitted] \u2026\n{self.tail}"


class Program(asyncio.SubprocessProtocol):
    """One process; `exited` at its end, `closed` once its pipes are empty too."""

    def __init__(self, loop):
        self.kept = {1: Kept(MAX_CHARS), 2: Kept(MAX_CHARS)}
        self.exited, self.closed = loop.create_future(), loop.create_future()

    def connection_made(self, transport):
        self.transport = transport

    def pipe_data_received(self, fd, data):
        self.kept[fd].feed(data)

    def process_exited(self):
        self.kill()  # what it left running in its session
        self.exited.set_result(None)

    def connection_lost(self, exc):
        self.closed.set_result(None)

    def kill(self):
        try:
            os.killpg(self.transport.get_pid(), signal.SIGKILL)
        except ProcessLookupError:
            pass


def set_limits():
    for what, soft, hard in LIMITS:
        resource.setrlimit(what, (soft, hard))


async def run(directory, code, timeout, stdin):
    """The ended program and whether the timeout ended it."""
    loop = asyncio.get_running_loop()
    with open(os.path.join(directory, "main.py"), "w", encoding="utf-8") as f:
        f.write(code)
    given = subprocess.DEVNULL
    if stdin:
        given = tempfile.TemporaryFile()
        given.write(stdin.encode())
        given.seek(0)
    _, program = await loop.subprocess_exec(
        lambda: Program(loop), PYTHON, "-I", "-S", "main.py", stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=directory, env={**ENVIRONMENT, "HOME": directory, "TMPDIR": directory}, start_new_session=True,
        preexec_fn=set_limits)
    try:
        await asyncio.wait({program.exited}, timeout=timeout)
        late = not program.exited.done()
        program.kill()
        await program.exited
        await asyncio.wait({program.closed}, timeout=PIPES_HELD_SEC)
    finally:
        program.kill()
        program.transport.close()
        if stdin:
            given.close()
    for kept in program.kept.values():
        kept.feed(b"", final=True)
    return program, late


def last_line(returncode, late, timeout):
    """(status, words)"""
    if late:
        return "timeout", f"timeout: killed after {timeout:g}s"
    if returncode == -signal.SIGXCPU:
        return "cpu_limit", f"cpu limit: {CPU_SECONDS}s exceeded"
    if returncode < 0:
        return "signaled", f"exit_code: {returncode} ({signal.Signals(returncode * -1).name})"
    return "exited", f"exit_code: {returncode}"


def notes(out, err, capped_from):
    found = []
    if capped_from:
        found.append(f"timeout: {capped_from:g}s asked, {MAX_TIMEOUT:g}s allowed (RUNNER_MAX_TIMEOUT_SEC); the program ran "
                     f"with {MAX_TIMEOUT:g}s.\n")
    if err.tail.rstrip("\n").endswith("\nMemoryError") or err.head.rstrip("\n").endswith("\nMemoryError"):
        found.append(f"MemoryError: the program may use at most {MEMORY_MB} MB of memory (RUNNER_MAX_MEMORY_MB).\n")
    if not out.chars and not err.chars:
        found.append("The program ended without output.\n")
    return "".join(found)


def result_of(program, late, timeout, capped_from, request_id, started, queued):
    duration = time.monotonic() - started
    out, err = program.kept[1], program.kept[2]
    returncode = program.transport.get_returncode()
    status, words = last_line(returncode, late, timeout)
    parts = [f"[request_id={request_id}]\n"]
    for name, body in (("stdout", out.text()), ("stderr", err.text()), ("note", notes(out, err, capped_from))):
        if body:
            newline = "" if body.endswith("\n") else "\n"
            parts.append(f"--- {name} ---\n{body}{newline}\n")
    parts.append(f"--- {words} | duration: {duration:.3f}s ---")
    streams = {name: {"bytes": k.bytes, "truncated": k.omitted > 0} for name, k in (("stdout", out), ("stderr", err))}
    outcome = {"request_id": request_id, "status": status, "exit_code": None if late else returncode,
               "signal": -returncode if status == "signaled" else None, "duration_ms": round(duration * 1000, 3),
               "queued_ms": round(queued * 1000, 3), **streams}
    return {"content": [{"type": "text", "text": "".join(parts)}], "isError": False, "_meta": {OUTCOME: outcome}}


def refused(request_id, reason):
    return {"content": [{"type": "text", "text": f"[request_id={request_id}]\n{reason}"}], "isError": True,
            "_meta": {OUTCOME: {"request_id": request_id, "status": "rejected"}}}


def wrong_arguments(a):
    if not isinstance(a.get("code"), str):
        return "code: a string is needed."
    timeout = a.get("timeout", 1)
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or timeout <= 0:
        return "timeout: a number of seconds above 0 is needed."
    if not isinstance(a.get("stdin", ""), str):
        return "stdin: a string is needed."
    return None


class Server:
    def __init__(self, out):
        self.out = out
        self.slots = asyncio.Semaphore(CONCURRENT)
        self.waiting = 0
        self.calls = {}  # id -> task

    def send(self, message):
        self.out.write(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n")

    def answer(self, i, result):
        self.send({"jsonrpc": "2.0", "id": i, "result": result})

    def fail(self, i, code, message):
        self.send({"jsonrpc": "2.0", "id": i, "error": {"code": code, "message": message}})

    async def call(self, i, a):
        request_id, asked_at = os.urandom(4).hex(), time.monotonic()
        reason = wrong_arguments(a)
        if not reason and self.waiting >= QUEUE:
            reason = f"{self.waiting} calls wait already; try again in a moment."
        if reason:
            self.answer(i, refused(request_id, reason))
            return
        asked = a.get("timeout", DEFAULT_TIMEOUT)
        timeout = min(asked, MAX_TIMEOUT)
        self.waiting += 1
        try:
            await self.slots.acquire()
        finally:
            self.waiting -= 1
        directory = None
        try:
            directory = tempfile.mkdtemp(prefix="run-")
            started = time.monotonic()
            program, late = await run(directory, a["code"], timeout, a.get("stdin", ""))
            self.answer(i, result_of(program, late, timeout, asked if asked > timeout else None, request_id, started,
                                     started - asked_at))
        except OSError as e:
            self.answer(i, refused(request_id, f"The program could not be started: {e}"))
        finally:
            if directory:
                shutil.rmtree(directory, ignore_errors=True)
            self.slots.release()

    def request(self, i, method, params):
        if method == "initialize":
            asked = params.get("protocolVersion")
            self.answer(i, {"protocolVersion": asked if asked in REVISIONS else REVISIONS[-1], "capabilities": {"tools": {}},
                            "serverInfo": {"name": "asyncio-python-runner", "version": "1"}})
        elif method == "ping":
            self.answer(i, {})
        elif method == "tools/list":
            self.answer(i, {"tools": [TOOL]})
        elif method == "tools/call" and params.get("name") == "run_python":
            task = asyncio.ensure_future(self.call(i, params.get("arguments") or {}))
            self.calls[i] = task
            task.add_done_callback(lambda _: self.calls.pop(i, None))
        elif method == "tools/call":
            self.fail(i, -32602, f"There is no tool {params.get('name')!r}.")
        else:
            self.fail(i, -32601, f"Unknown method: {method}")

    def line(self, line):
        try:
            message = json.loads(line)
        except ValueError as e:
            self.send({"jsonrpc": "2.0", "error": {"code": -32700, "message": f"Not JSON: {e}"}})
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return
        params = message.get("params") or {}
        if "id" in message:
            self.request(message["id"], message["method"], params)
        elif message["method"] == "notifications/cancelled" and params.get("requestId") in self.calls:
            self.calls[params["requestId"]].cancel()


async def main():
    loop = asyncio.get_running_loop()
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):  # from 3.12 on asyncio does this by itself
        watcher = asyncio.PidfdChildWatcher()
        watcher.attach_loop(loop)
        asyncio.set_child_watcher(watcher)
    reader = asyncio.StreamReader(limit=LINE_BYTES_MAX)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out, _ = await loop.connect_write_pipe(asyncio.Protocol, sys.stdout)
    server = Server(out)
    while True:
        try:
            line = await reader.readline()
        except ValueError:  # longer than the limit
            server.send({"jsonrpc": "2.0", "error": {"code": -32600, "message": "The line is too long."}})
            continue
        if not line:
            break
        server.line(line)
    tasks = list(server.calls.values())
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    out.close()


if __name__ == "__main__":
    asyncio.run(main())
