#!/usr/bin/python3
"""Runs unittest suites, several tests at once, each in a process of its own.

    suite.py [-j N] [-k TEXT]... [-x TEXT]... [--sample K/HASH] [--list] FOLDER|FILE...

-k runs only tests whose name contains one of the texts, -x all but those.

One line a test: `ok NAME (seconds)` or `not ok NAME (seconds)` with what went wrong, last `N passed, N failed`.
A class with `alone = True` measures time or memory: its tests run by themselves, after the others. A class with a
setUpClass is one unit. A skipped test is a failure when CI is set. A test that takes longer than its limit
(`limit_seconds` of the class, 120 by default) is ended and has failed. --sample runs K units, always the same ones for
the same HASH, and prints what it left out.
"""
import argparse
import hashlib
import importlib.util
import io
import json
import os
import select
import signal
import sys
import time
import unittest

LIB = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, LIB)


class Recorder(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.rows = []
        self._start = 0.0
        self._problem = None

    def startTest(self, test):
        super().startTest(test)
        self._start, self._problem = time.monotonic(), None

    def _note(self, kind, text):
        if self._problem is None or self._problem[0] == "skip":
            self._problem = (kind, text)
        elif kind != "skip":
            self._problem = (kind, self._problem[1] + "\n" + text)

    def addError(self, test, err):
        super().addError(test, err)
        self._record_outside(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._record_outside(test, err)

    def _record_outside(self, test, err):
        text = self._exc_info_to_string(err, test)
        if isinstance(test, unittest.TestCase):
            self._note("fail", text)
        else:  # setUpClass and the like: there is no test to hang it on
            self.rows.append((str(test), "fail", 0.0, text))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note("fail", f"{subtest.id()}\n{self._exc_info_to_string(err, test)}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._note("skip", reason)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._note("fail", "unexpected success")

    def stopTest(self, test):
        super().stopTest(test)
        kind, text = self._problem or ("ok", "")
        self.rows.append((test.id(), kind, time.monotonic() - self._start, text))


def load(path):
    name = os.path.splitext(os.path.basename(path))[0]
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def flatten(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


def units(paths, words, without):
    """[(alone, limit, [tests])]"""
    files = []
    for path in paths:
        path = os.path.abspath(path)
        if os.path.isdir(path):
            files += sorted(os.path.join(path, f) for f in os.listdir(path) if f.startswith("test_") and f.endswith(".py"))
        else:
            files.append(path)
    found, shared = [], {}
    for path in files:
        for test in flatten(load(path)):
            if words and not any(w in test.id() for w in words) or any(w in test.id() for w in without):
                continue
            cls = type(test)
            entry = (getattr(cls, "alone", False), getattr(cls, "limit_seconds", 120), [test])
            if "setUpClass" in {k for c in cls.__mro__[:-1] if c is not unittest.TestCase for k in vars(c)}:
                if cls in shared:
                    shared[cls][2].append(test)
                    continue
                shared[cls] = entry
            found.append(entry)
    return found


def sample(found, spec):
    """Keeps K units, chosen by the hash."""
    count, seed = spec.split("/", 1)
    order = sorted(found, key=lambda e: hashlib.sha256(f"{seed} {e[2][0].id()}".encode()).digest())
    left = [t.id() for e in order[int(count):] for t in e[2]]
    if left:
        print(f"left out of this sample, {len(left)}: {' '.join(sorted(left))}")
    return order[:int(count)]


def child(tests, fd):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    result = Recorder()
    try:
        unittest.TestSuite(tests).run(result)
    finally:
        with os.fdopen(fd, "w") as f:
            json.dump(result.rows, f)
    sys.stdout.flush()


class Pool:
    def __init__(self, jobs):
        self.jobs = jobs
        self.running = {}  # read end -> (pid, tests, end, buffer)
        self.rows = []

    def start(self, limit, tests):
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                os.close(r)
                os.setpgid(0, 0)
                child(tests, w)
                code = 0
            finally:
                os._exit(code)
        os.close(w)
        self.running[r] = (pid, tests, time.monotonic() + limit, io.BytesIO())

    def step(self):
        first = min(end for _, _, end, _ in self.running.values())
        ready, _, _ = select.select(list(self.running), [], [], max(0.0, min(first - time.monotonic(), 5)))
        for fd in ready:
            data = os.read(fd, 1 << 16)
            if data:
                self.running[fd][3].write(data)
            else:
                self.finish(fd, None)
        for fd in [fd for fd, (_, _, end, _) in self.running.items() if time.monotonic() > end]:
            self.finish(fd, "took too long and was ended")

    def finish(self, fd, why):
        pid, tests, _, buffer = self.running.pop(fd)
        os.close(fd)
        if why:
            os.killpg(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        try:
            rows = json.loads(buffer.getvalue())
        except ValueError:
            rows = [(t.id(), "fail", 0.0, why or f"its process ended with wait status {status}") for t in tests]
        for row in rows:
            self.report(*row)

    def report(self, name, kind, seconds, text):
        if kind == "skip" and os.environ.get("CI"):
            kind, text = "fail", f"skipped, which counts as a failure here: {text}"
        self.rows.append(kind)
        word = {"ok": "ok", "fail": "not ok", "skip": "skipped"}[kind]
        print(f"{word} {name} ({seconds:.2f}s)")
        if text:
            print("    " + text.rstrip().replace("\n", "\n    "))
        sys.stdout.flush()

    def run(self, entries):
        todo = sorted(entries, key=lambda e: -e[1])
        while todo or self.running:
            while todo and len(self.running) < self.jobs:
                _, limit, tests = todo.pop(0)
                self.start(limit * float(os.environ.get("TEST_SLOW") or 1), tests)
            self.step()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-j", type=int, default=int(os.environ.get("TEST_JOBS") or 2 * (os.cpu_count() or 2)))
    p.add_argument("-k", action="append", default=[])
    p.add_argument("-x", action="append", default=[])
    p.add_argument("--sample", metavar="K/HASH")
    p.add_argument("--list", action="store_true")
    p.add_argument("paths", nargs="+")
    a = p.parse_args()
    found = units(a.paths, a.k, a.x)
    if a.sample:
        found = sample(found, a.sample)
    if a.list:
        for _, _, tests in found:
            print("\n".join(t.id() for t in tests))
        return 0
    rows = []
    for alone in (False, True):
        pool = Pool(1 if alone else a.j)
        pool.run([e for e in found if e[0] == alone])
        rows += pool.rows
    failed = rows.count("fail")
    if not rows:
        failed = 1
        print("not ok: no test was found")
    print(f"{rows.count('ok')} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
