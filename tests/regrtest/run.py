#!/usr/bin/env python3
"""CPython's own regression tests inside the sandbox.

modules.txt names modules of `test.*`. Each is one program (program.py), run by the plain interpreter (`python3 -I -S`) and
by the runner. Inside, nothing may fail, and nothing may be skipped that is not skipped outside; modules.txt names the
exceptions with their reasons. What the plain interpreter said is kept in a cache. A module that fails outside too says
nothing about the sandbox: it is set aside by name, and does not count.

    run.py [--python PATH...] [--identity root|user...] [--sample K/HASH] [--jobs N] [--only TEXT...]
    run.py --survey MODULE...    what they come to outside, and how long it takes

By default: the system's interpreter and the newest other one that has its tests, as root (or as who calls) and, where
root calls and the interpreter lets others run it, as an ordinary user. Last line: `N passed, N failed`.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE.parent / "diff")]

import mcp
from asuser import OrdinaryUser
from harness import find_interpreters

AT_LEAST = 80  # modules that have to pass on each interpreter
LIMIT_S = 240
ALONE_TRIES = 3
CACHE_VERSION = "1"
SETTINGS = {
    "RUNNER_MAX_TIMEOUT_SEC": str(LIMIT_S),
    "RUNNER_MAX_CPU_SECONDS": str(LIMIT_S),
    "RUNNER_MAX_MEMORY_MB": "2048",
    "RUNNER_MAX_PROCESSES": "256",
    "RUNNER_MAX_FILE_SIZE_MB": "8192",  # sparse ones
    "RUNNER_MAX_OUTPUT_CHARS": "1000000",
    "RUNNER_LOG_LEVEL": "WARNING",
}
# As the runner's own (src/exec/environment.c)
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


class Module:
    """A line of modules.txt and the exceptions indented below it."""

    def __init__(self, name, resources=(), versions=None):
        self.name = name
        self.resources = resources  # of test.support that its tests ask for; none as a rule
        self.versions = versions  # (lowest, highest) or None
        self.exceptions = {}  # pattern of a test's id -> reason
        self.reason = None  # why only these versions

    def suits(self, version):
        return self.versions is None or self.versions[0] <= version[:2] <= self.versions[1]

    def excuse(self, test):
        return next((reason for pattern, reason in self.exceptions.items() if re.search(pattern, test)), None)

    def source(self, tests=()):
        text = (HERE / "program.py").read_text().replace("@MODULE@", self.name).replace("@RESOURCES@", repr(list(self.resources)))
        return text.replace("@TESTS@", repr(list(tests)))

    def single(self, report):
        """The tests of a report that failed, as unittest wants to hear them; None when it was more than single tests."""
        failed = [test.split(" ")[0] for test in report.failed if not self.excuse(test)]
        prefix = self.name + "."
        if report.trouble or not all(re.fullmatch(re.escape(prefix) + r"\w+\.\w+", test) for test in failed):
            return None
        return sorted({test[len(prefix):] for test in failed}) or None


def read_modules(path):
    """`NAME [+RESOURCE] [3.9-3.11 REASON]`; below it, indented: `PATTERN: REASON` for single tests."""
    modules = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if line[0].isspace():
            pattern, colon, reason = text.partition(": ")
            if not colon or not reason:
                raise SystemExit(f"{path}:{number}: an exception needs its reason")
            modules[-1].exceptions[pattern] = reason
            continue
        m = re.fullmatch(r"(\S+)(?:\s+\+(\w+))?(?:\s+(\d)\.(\d+)-(\d)\.(\d+)\s+(.+))?", text)
        if not m:
            raise SystemExit(f"{path}:{number}: NAME [+RESOURCE] [3.x-3.y REASON]")
        modules.append(Module(m[1], [m[2]] if m[2] else [], m[3] and ((int(m[3]), int(m[4])), (int(m[5]), int(m[6])))))
        modules[-1].reason = m[7]
    return modules


# --- outside ----------------------------------------------------------------------------------------


class Report:
    """What a module came to: `trouble` when it did not even report."""

    def __init__(self, stdout, stderr, ending):
        self.trouble, self.ran, self.failed, self.skipped = None, 0, {}, {}
        lines = [line for line in stdout.splitlines() if line.startswith("@REPORT@")]
        if not lines:
            self.trouble = f"no report ({ending}): {(stderr or stdout)[-1500:]}"
            return
        data = json.loads(lines[-1][len("@REPORT@"):])
        self.ran, self.failed, self.skipped = data["ran"], dict(data["failed"]), dict(data["skipped"])
        if ending != 0 and not self.failed:  # while it ended
            self.trouble = f"all tests passed, and then it ended with {ending}: {stderr[-1500:]}"

    def passed(self, module):
        """The exceptions of a module hold for root's reference too, which has one user alone."""
        return self.trouble is None and self.ran > 0 and all(module.excuse(test) for test in self.failed)


def bare_identity():
    """A prefix that gives root's reference the uid that a program has inside, and no capability: many tests ask who they are."""
    prefix = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]
    if os.geteuid() != 0 or subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        return []
    return prefix


def interruptible():
    """A shell's background jobs ignore SIGINT, and so would the tests of it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_outside(interpreter, module, prefix):
    base = tempfile.mkdtemp(prefix="regrtest-")
    try:
        work, tmp = os.path.join(base, "work"), os.path.join(base, "tmp")
        os.mkdir(work)
        os.mkdir(tmp)
        Path(work, "main.py").write_text(module.source())
        process = subprocess.Popen([*prefix, interpreter.executable, "-I", "-S", "main.py"], cwd=work,
                                   env={**ENVIRONMENT, "HOME": work, "TMPDIR": tmp}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                   preexec_fn=interruptible)
        try:
            out, err = process.communicate(timeout=LIMIT_S)
            ending = process.returncode
        except subprocess.TimeoutExpired:
            ending = "timeout"
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if ending == "timeout":
            out, err = process.communicate()
        return [out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), ending]
    finally:
        shutil.rmtree(base, ignore_errors=True)


def outside(interpreter, module, prefix, cache):
    key = json.dumps([CACHE_VERSION, interpreter.executable, interpreter.build, prefix, module.source()])
    path = Path(cache) / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
    try:
        return Report(*json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        pass
    said = run_outside(interpreter, module, prefix)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    scratch.write_text(json.dumps(said))
    scratch.replace(path)
    return Report(*said)


# --- inside -----------------------------------------------------------------------------------------


def inside(client, lock, module, tests=()):
    with lock:
        i = client.call(module.source(tests), timeout=LIMIT_S)
    o = client.outcome(i, LIMIT_S + 60)
    if o.is_error:
        return Report("", o.text, o.status)
    return Report(o.stdout, o.stderr, o.exit_code if o.status == "exited" else o.last)


def compare(module, out, got):
    """What is wrong inside, or None."""
    if got.trouble:
        return got.trouble
    wrong = [f"{test} fails inside: {text[-1500:]}" for test, text in got.failed.items() if not module.excuse(test)]
    wrong += [f"{test} is skipped inside only: {reason}" for test, reason in got.skipped.items()
              if test not in out.skipped and not module.excuse(test)]
    if not wrong and got.ran != out.ran and not module.exceptions:
        wrong = [f"{got.ran} tests ran inside, {out.ran} outside"]
    return "\n".join(wrong) or None


class Setting:
    """One interpreter under one identity."""

    def __init__(self, interpreter, identity, user):
        self.interpreter, self.identity, self.user = interpreter, identity, user
        self.passed, self.failed, self.aside, self.doubtful = [], [], [], []
        self.lock, self.tests = threading.Lock(), 0

    @property
    def name(self):
        return f"CPython {self.interpreter.name} ({self.interpreter.executable}) as {self.identity}"

    def client(self, jobs):
        env = {**SETTINGS, "RUNNER_PYTHON": self.interpreter.path, "RUNNER_MAX_CONCURRENT": str(jobs)}
        return mcp.Client(env, **(self.user.client_arguments() if self.identity == "user" else {}))

    def one(self, client, module, prefix, cache):
        started = time.monotonic()
        out = outside(self.interpreter, module, prefix, cache)
        if not out.passed(module):
            self.aside.append(module.name)
            why = out.trouble or "; ".join(list(out.failed)[:3]) or "no test in it"
            return f"set aside {module.name}: it does not pass outside either: {why[-300:]}"
        got = inside(client, self.lock, module)
        trouble = compare(module, out, got)
        if trouble:
            self.doubtful.append((module, out, got, trouble))
            return f"to be tried again, alone: {module.name}"
        return self.passes(module, out, started)

    def passes(self, module, out, started, remark=""):
        with self.lock:
            self.passed.append(module.name)
            self.tests += out.ran
        return f"ok {module.name} ({out.ran} tests, {time.monotonic() - started:.1f} s){remark}"

    def again(self, client, module, out, got, trouble):
        """Many of these tests measure times, to the millisecond. As CPython's own runner does (--rerun), what failed among
        others is tried by itself; what fails by itself each time is a failure."""
        started, first = time.monotonic(), trouble
        for _ in range(ALONE_TRIES):
            tests = module.single(got)
            got = inside(client, self.lock, module, tests or ())
            trouble = (got.trouble or "\n".join(got.failed.values()) or (got.ran == 0 and "no test ran") or None if tests
                       else compare(module, out, got))
            if not trouble:
                return self.passes(module, out, started, f" when tried again: {', '.join(tests or ['all'])}; before: {first[-600:]}")
        self.failed.append(module.name)
        return f"not ok {module.name}\n    " + trouble.replace("\n", "\n    ")

    def run(self, modules, jobs, cache):
        prefix = bare_identity()
        print(f"== {self.name}", flush=True)
        client = self.client(jobs)
        try:
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                for line in pool.map(lambda m: self.one(client, m, prefix, cache), modules):
                    print(line, flush=True)
            for doubt in self.doubtful:
                print(self.again(client, *doubt), flush=True)
        finally:
            client.close()
        print(f"{self.name}: {len(self.passed)} modules passed ({self.tests} tests), {len(self.failed)} failed, "
              f"{len(self.aside)} do not pass outside", flush=True)


# --- which ------------------------------------------------------------------------------------------


def has_tests(interpreter):
    probe = "import importlib.util as u, sys; sys.exit(not (u.find_spec('test.test_mmap') and u.find_spec('test.support')))"
    return subprocess.run([interpreter.executable, "-I", "-S", "-c", probe], capture_output=True, check=False).returncode == 0


def choose_interpreters(given):
    # Launchers that look for an interpreter each time they are started take seconds to ask
    path = os.environ.get("PATH", "").split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(folder for folder in path if not folder.endswith("/shims"))
    found = [i for i in find_interpreters(given) if has_tests(i)]
    if given:
        return found
    system = [i for i in found if i.executable.startswith("/usr/bin/")]
    others = [i for i in found if i not in system]
    chosen = system[-1:] + others[-1:]
    return chosen if len(chosen) > 1 else found[-2:]


def settings(args, user):
    for interpreter in choose_interpreters(args.python):
        for identity in args.identity or ["root", "user"]:
            if identity == "user" and (os.geteuid() != 0 or not user.can_run(interpreter.executable)):
                continue
            yield Setting(interpreter, identity if os.geteuid() == 0 else "an ordinary user", user)


def sampled(modules, sample, setting):
    if not sample:
        return modules, []
    count, _, commit = sample.partition("/")

    def rank(m):
        return hashlib.sha256(f"{commit} {setting.interpreter.version[:2]} {setting.identity} {m.name}".encode()).digest()

    kept = set(m.name for m in sorted(modules, key=rank)[: int(count)])
    return [m for m in modules if m.name in kept], [m for m in modules if m.name not in kept]


def survey(args):
    def one(job):
        interpreter, name = job
        started = time.monotonic()
        report = outside(interpreter, Module(name), prefix, args.cache)
        took = time.monotonic() - started
        return (f"{interpreter.name} {name} {'passes' if report.passed(Module(name)) else 'FAILS'} {took:.1f} s {report.ran} tests "
                f"{len(report.skipped)} skipped {'' if report.passed(Module(name)) else (report.trouble or ' '.join(report.failed))[-200:]!r}")

    prefix = bare_identity()
    jobs = [(i, name) for i in choose_interpreters(args.python) for name in args.survey]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for line in pool.map(one, jobs):
            print(line, flush=True)
    return 0


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--python", nargs="+", metavar="PATH")
    p.add_argument("--identity", nargs="+", choices=["root", "user"])
    p.add_argument("--sample", metavar="K/HASH", help="K modules for each interpreter and identity")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="modules whose name contains TEXT")
    p.add_argument("--cache", default=str(ROOT / "build/regrtest-cache"))
    p.add_argument("--survey", nargs="+", metavar="MODULE")
    return p.parse_args()


def main():
    args = parse_arguments()
    if args.survey:
        return survey(args)
    modules = [m for m in read_modules(HERE / "modules.txt") if not args.only or any(t in m.name for t in args.only)]
    passed = failed = 0
    user = OrdinaryUser()
    versions = set()
    try:
        for setting in settings(args, user):
            mine, left_out = sampled([m for m in modules if m.suits(setting.interpreter.version)], args.sample, setting)
            setting.run(mine, args.jobs, args.cache)
            versions.add(setting.interpreter.version[:2])
            passed += len(setting.passed)
            failed += len(setting.failed)
            if left_out:
                print(f"left out of {setting.name} ({len(left_out)}):", *(m.name for m in left_out))
            elif not args.only and len(setting.passed) < AT_LEAST:
                failed += 1
                print(f"not ok {setting.name}: {len(setting.passed)} modules passed, {AT_LEAST} have to")
    finally:
        user.close()
    if len(versions) < 2:
        print(f"interpreters with their tests (Debian: package libpython3.11-testsuite): {len(versions)}")
    print(f"{passed} passed, {failed if versions else 1} failed")
    return 1 if failed or not versions else 0


if __name__ == "__main__":
    sys.exit(main())
