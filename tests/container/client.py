"""A conversation with one server, whatever command starts it."""
import json
import os
import queue
import subprocess
import threading

META = "python-runner/outcome"


class Server:
    def __init__(self, argv, env=None):
        self.proc = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        self.answers, self.errors, self.n = {}, [], 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()
        self._ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}, 60)
        self._say({"method": "notifications/initialized"})

    def _read(self):
        for line in self.proc.stdout:
            m = json.loads(line)
            if m.get("id") in self.answers:
                self.answers[m["id"]].put(m)
        for q in self.answers.values():
            q.put(None)

    def _read_errors(self):
        for line in self.proc.stderr:
            self.errors.append(line.rstrip())

    def _say(self, m):
        self.proc.stdin.write(json.dumps({"jsonrpc": "2.0", **m}) + "\n")
        self.proc.stdin.flush()

    def _start(self, method, params):
        self.n += 1
        self.answers[self.n] = queue.Queue()
        self._say({"id": self.n, "method": method, "params": params})
        return self.n

    def _ask(self, method, params, timeout):
        return self._finish(self._start(method, params), timeout)

    def _finish(self, number, timeout):
        try:
            m = self.answers[number].get(timeout=timeout)
        except queue.Empty:
            m = None
        if m is None:
            raise RuntimeError("the server does not answer: " + " | ".join(self.errors[-5:]))
        return m

    def start(self, code, timeout=20):
        return self._start("tools/call", {"name": "run_python", "arguments": {"code": code, "timeout": timeout}})

    def finish(self, number, timeout=60):
        """(what was printed and more, the outcome)"""
        r = self._finish(number, timeout).get("result") or {}
        text = "\n".join(c.get("text", "") for c in r.get("content", []))
        return text, (r.get("_meta") or {}).get(META) or {}

    def run(self, code, timeout=20):
        return self.finish(self.start(code, timeout), timeout + 40)

    def close(self, timeout=10):
        """The exit status; the server ends because its input does."""
        self.proc.stdin.close()
        try:
            return self.proc.wait(timeout)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            return None
