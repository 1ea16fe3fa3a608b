"""The program as a person or a script calls it. Everything waited for is an event, under a deadline."""
import glob
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))

import mcp
import procs

ROOT = mcp.ROOT
BIN = os.environ.get("BIN") or mcp.SERVER
PYTHON = mcp.PYTHON
SLOW = mcp.SLOW
LIMIT = 30 * SLOW
NOBODY = 65534


def env(**more):
    """What a client passes on, and a quiet log; None takes a variable away."""
    return mcp.client_env(more)


def call(*args, stdin=subprocess.DEVNULL, binary=BIN, timeout=LIMIT, **more):
    """Runs the program to its end. Keywords in capitals are environment variables."""
    variables = {k: more.pop(k) for k in list(more) if k.isupper()}
    given = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    p = subprocess.run([binary, *args], capture_output=True, timeout=timeout, env=env(**variables), **given, **more)
    p.out, p.err = p.stdout, p.stderr.decode("utf-8", "surrogateescape")
    return p


def start(*args, binary=BIN, **more):
    variables = {k: more.pop(k) for k in list(more) if k.isupper()}
    for name in ("stdin", "stdout", "stderr"):
        more.setdefault(name, subprocess.PIPE)
    return subprocess.Popen([binary, *args], env=env(**variables), bufsize=0, **more)


def read_until(fd, wanted, timeout=LIMIT):
    """Bytes of fd until `wanted` is among them (or, when it is None, until the end)."""
    got = b""
    end = time.monotonic() + timeout
    while wanted is None or wanted not in got:
        left = end - time.monotonic()
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            raise AssertionError(f"waited {timeout} s for {wanted!r}, got {got[-500:]!r}")
        try:
            data = os.read(fd, 1 << 16)
        except OSError:  # the other side of a terminal is gone
            data = b""
        if not data:
            if wanted is None:
                break
            raise AssertionError(f"the end instead of {wanted!r}: {got[-500:]!r}")
        got += data
    return got


class Terminal:
    """A pseudo terminal. `here` is ours, `there` goes to the program."""

    def __init__(self):
        self.here, self.there = pty.openpty()

    def close(self):
        for fd in (self.here, self.there):
            try:
                os.close(fd)
            except OSError:
                pass


class CliCase(unittest.TestCase):
    def folder(self):
        """A folder of this test that everybody may enter."""
        path = tempfile.mkdtemp(prefix="runner cli ")
        os.chmod(path, 0o755)
        self.addCleanup(shutil.rmtree, path, True)
        return path

    def file(self, data, name="program.py"):
        path = os.path.join(self.folder(), name)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return path

    def start(self, *args, **more):
        p = start(*args, **more)
        self.addCleanup(self.end, p)
        return p

    def end(self, p):
        if p.poll() is None:
            p.kill()
            p.wait()
        for f in (p.stdin, p.stdout, p.stderr):
            if f:
                try:
                    f.close()
                except OSError:
                    pass

    def terminal(self):
        t = Terminal()
        self.addCleanup(t.close)
        return t

    def assert_usage(self, p, *words):
        """Refused: status 2, nothing on stdout, one line on stderr with these words."""
        self.assertEqual((p.returncode, p.out), (2, b""), p.err)
        self.assertEqual(p.err.count("\n"), 1, p.err)
        self.assertTrue(p.err.startswith("python-runner-mcp: "), p.err)
        for word in words:
            self.assertIn(word, p.err)

    def assert_gone(self, pid, within=1.0):
        self.assertTrue(procs.wait_gone(pid, within * SLOW), f"process {pid} lives: {procs.read(pid, 'cmdline')!r}")


def help_text():
    return call("--help").out.decode()


def variables():
    """{name: (allowed, default)} as --help has them."""
    text = help_text().split("\nEnvironment:\n")[1].split("\nExit status:")[0]
    found = {}
    for part in re.split(r"\n(?=  RUNNER_)", "\n" + text.strip("\n")):
        if not part.strip():
            continue
        name, rest = part.split(None, 1)
        allowed, default = re.fullmatch(r".*; (.*), default (\S+)", " ".join(rest.split())).groups()
        found[name] = (allowed, default)
    return found


def numbers():
    """{name: (min, max, whole)} of the variables that are numbers."""
    found = {}
    for name, (allowed, _) in variables().items():
        m = re.fullmatch(r"a (whole number|number of seconds) from (\S+) to (\S+)", allowed)
        if m:
            found[name] = (m[2], m[3], m[1] == "whole number")
    return found


def copy_program(folder):
    """The program and what belongs to it, moved to another place, readable by everybody."""
    there = os.path.join(folder, "moved")
    os.makedirs(os.path.join(there, "src", "template"))
    shutil.copy(BIN, there)
    for path in glob.glob(os.path.join(os.path.dirname(BIN), "src", "template", "*")):
        if os.path.isfile(path):
            shutil.copy(path, os.path.join(there, "src", "template"))
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    return os.path.join(there, os.path.basename(BIN))


def as_user(argv):
    """The same command as an ordinary user; as ourselves when we are one."""
    if os.geteuid() != 0:
        return argv
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *argv]


__all__ = ["BIN", "CliCase", "LIMIT", "NOBODY", "PYTHON", "ROOT", "SLOW", "as_user", "call", "copy_program", "env",
           "help_text", "mcp", "numbers", "os", "procs", "read_until", "signal", "subprocess", "time", "unittest", "variables"]
