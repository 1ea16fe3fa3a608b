#!/usr/bin/env python3
"""The differential test: each program of programs/ runs through the runner and through plain
`python3 -I -S main.py`, on every CPython 3.9 to 3.13 of this machine; stdout, stderr and exit code
(a signal as -N) have to be the same, byte for byte.

A program's first lines may hold headers:
    # needs: 3.11             the oldest version it applies to
    # stdin: "text\\n"         a JSON string that is its standard input (else /dev/null);
                              "text\\n" * 1000 is possible too
    # timeout: 20             seconds, for slow ones
    # device: /dev/ptmx       only where the sandbox's own /dev has it (or there is none)
With --site-packages the runner has RUNNER_SITE_PACKAGES=true and the reference is `python3 -I main.py`.
Programs are deterministic: `--validate` runs each twice under the plain interpreter and compares.
Their output never depends on what the runner does differently on purpose (intended.py): stdout is
line-buffered there, so a program flushes before it forks, kills or replaces itself.

The directory of a run is <DIR> on both sides. What the reference said is kept in a cache, by
interpreter, environment and program.
"""

import argparse
import ast
import concurrent.futures
import difflib
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from harness import Server, ServerGone, Surroundings, find_interpreters, outcome

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REFERENCE_VERSION = "3"  # part of the cache's key: raise it when run_reference() changes
DIFF_LINES = 24
TIMEOUT_S = 30


options = ["-I", "-S"]  # of the reference


class Program:
    def __init__(self, path):
        self.name = str(path.relative_to(HERE / "programs").with_suffix(""))
        self.source = path.read_bytes()
        self.code = self.source.decode("utf-8")
        self.needs, self.stdin, self.timeout, self.device = (3, 9), None, TIMEOUT_S, None
        for line in self.code.lstrip("\ufeff").splitlines()[:6]:
            m = re.match(r"#\s*(needs|stdin|timeout|device):\s*(.*?)\s*$", line)
            if not m:
                continue
            if m[1] == "needs":
                self.needs = tuple(int(x) for x in m[2].split("."))
            elif m[1] == "stdin":
                repeated = re.fullmatch(r'(".*") \* (\d+)', m[2])
                text, times = (repeated[1], int(repeated[2])) if repeated else (m[2], 1)
                self.stdin = json.loads(text) * times
            elif m[1] == "device":
                self.device = m[2]
            else:
                self.timeout = int(m[2])

    def imports(self):
        """Top-level names of what it imports, for --census."""
        try:
            tree = ast.parse(self.source)
        except (SyntaxError, ValueError):
            return set()
        found = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(a.name for a in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module)
        return found


# Addresses differ from run to run under any interpreter: `<function f at 0x7f...>`, the dump of an
# exception that nothing could print, the threads of a fatal error.
ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]+|(?<=object (?:address|type   )  : )0x[0-9a-f]+|(?<=hread )0x[0-9a-f]+")


class Ending:
    """What a run left: the three things that are compared."""

    def __init__(self, stdout, stderr, code):
        self.stdout, self.stderr = (ADDRESS.sub("<ADDRESS>", x) for x in (stdout, stderr))
        self.code = code

    def __eq__(self, other):
        return (self.stdout, self.stderr, self.code) == (other.stdout, other.stderr, other.code)

    def lines(self):
        yield f"exit code: {self.code}"
        for label, text in (("stdout", self.stdout), ("stderr", self.stderr)):
            for line in text.split("\n"):
                yield f"{label}: {line[:300]!r}"[:320]


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_reference(interpreter, program, around):
    """The plain interpreter in a fresh directory that looks like a run's."""
    base = tempfile.mkdtemp(prefix="ref-", dir=os.environ["DIFF_TEMP"])
    try:
        for d in {around.cwd, "work", "tmp"}:
            os.makedirs(os.path.join(base, d), exist_ok=True)
        cwd = os.path.join(base, around.cwd)
        environ = around.environ_in(base)
        for key in ("HOME", "TMPDIR"):
            if key in environ:
                os.makedirs(environ[key], exist_ok=True)
        with open(os.path.join(cwd, "main.py"), "wb") as f:
            f.write(program.source)
        stdin = subprocess.DEVNULL if program.stdin is None else subprocess.PIPE
        process = subprocess.Popen(
            [interpreter.executable, *options, "main.py"], cwd=cwd, env=environ, stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=no_core,
            umask=around.umask,
        )
        data = None if program.stdin is None else program.stdin.encode()
        try:
            out, err = process.communicate(data, timeout=program.timeout * 2)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            code = "timeout"
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        texts = [x.decode("utf-8", "replace").replace(base, "<DIR>") for x in (out, err)]
        return Ending(texts[0], texts[1], code)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def cached_reference(interpreter, program, around, cache):
    if cache is None:
        return run_reference(interpreter, program, around)
    key = json.dumps([REFERENCE_VERSION, interpreter.executable, interpreter.build, around.cwd,
                      sorted(around.environ_in("<DIR>").items()), around.umask, *(["site"] if "-S" not in options else [])])
    digest = hashlib.sha256(key.encode() + b"\0" + program.source).hexdigest()
    path = Path(cache) / f"{digest}.json"
    try:
        return Ending(*json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        pass
    ending = run_reference(interpreter, program, around)
    if ending.code != "timeout":
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        scratch.write_text(json.dumps([ending.stdout, ending.stderr, ending.code]))
        scratch.replace(path)
    return ending


def run_runner(server, program, around):
    result = server.run(program.code, program.stdin, program.timeout)
    what = outcome(result)
    structured = result.get("structuredContent") or {}
    if what["status"] == "exited":
        code = what["exit_code"]
    elif what["status"] == "signaled":
        code = what["exit_code"] if what["exit_code"] is not None else -what["signal"]
    else:
        code = what["status"]
        if result.get("isError"):
            code += ": " + " ".join(c.get("text", "") for c in result["content"])
    texts = [around.pattern.sub("<DIR>", structured.get(k) or "") for k in ("stdout", "stderr")]
    return Ending(texts[0], texts[1], code)


def show_difference(label, expected, got, expected_name="python3", got_name="runner"):
    diff = list(difflib.unified_diff(
        list(expected.lines()), list(got.lines()), expected_name, got_name, lineterm="", n=1))
    if len(diff) > DIFF_LINES:
        diff = diff[:DIFF_LINES] + [f"... {len(diff) - DIFF_LINES} more lines"]
    return f"FAIL {label}\n" + "\n".join("    " + line for line in diff)


def choose(programs, sample, interpreter):
    """`sample` is K/HASH: K programs, others for each commit and each interpreter."""
    if sample is None:
        return programs, []
    count, _, commit = sample.partition("/")

    def rank(p):
        return hashlib.sha256(f"{commit} {interpreter.version[:2]} {p.name}".encode()).digest()

    ranked = sorted(programs, key=rank)
    chosen = set(p.name for p in ranked[: int(count)])
    return [p for p in programs if p.name in chosen], [p for p in programs if p.name not in chosen]


class PlainSurroundings:
    """For --validate, where there is no runner to ask."""

    cwd, umask = "work", 0o022
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}

    def environ_in(self, base):
        return {**self.environ, "HOME": f"{base}/work", "TMPDIR": f"{base}/tmp"}


def parallel(jobs, work, items):
    """Yields work(item) in the order of items."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(work, items)


def check_interpreter(args, interpreter, programs, temp):
    """Returns (passed, failed) and prints the failures."""
    log = Path(temp) / f"server-{interpreter.name}.log"
    # A short path: programs bind Unix sockets below it, and such a path has 107 bytes at most.
    with tempfile.TemporaryDirectory(prefix="d-") as runs:
        return compare_all(args, interpreter, programs, log, Path(runs))


def compare_all(args, interpreter, programs, log, runs):
    def compare(program):
        try:
            expected = cached_reference(interpreter, program, around, args.cache)
            got = run_runner(server, program, around)
        except ServerGone as e:
            return f"FAIL {interpreter.name} {program.name}: {e}"
        if expected.code == "timeout":
            return f"FAIL {interpreter.name} {program.name}: the reference did not end in {program.timeout * 2} s"
        if expected == got:
            return None
        return show_difference(f"{interpreter.name} {program.name}", expected, got)

    settings = {
        "RUNNER_MAX_OUTPUT_CHARS": 1000000, "RUNNER_MAX_CONCURRENT": args.jobs, "RUNNER_MAX_CPU_SECONDS": 60,
        "RUNNER_MAX_TIMEOUT_SEC": 120,
        **dict(x.split("=", 1) for x in args.set),
    }
    passed = failed = 0
    with Server(args.bin, interpreter.path, runs, log, **settings) as server:
        around = Surroundings(server)
        without = [p for p in programs if p.device and not around.has(server, p.device)]
        for p in without:
            print(f"  not for this sandbox, whose /dev has no {p.device}: {p.name}")
        for trouble in parallel(args.jobs, compare, [p for p in programs if p not in without]):
            if trouble is None:
                passed += 1
            else:
                failed += 1
                print(trouble, flush=True)
    left = [p.name for p in runs.rglob("*")]
    if left:
        failed += 1
        print(f"FAIL {interpreter.name}: left behind after the server's end: {left[:10]}")
    return passed, failed


def validate_interpreter(args, interpreter, programs):
    """Runs each program twice under the plain interpreter."""
    around = PlainSurroundings()

    def twice(program):
        first = run_reference(interpreter, program, around)
        second = run_reference(interpreter, program, around)
        if args.show:
            print(f"== {interpreter.name} {program.name}", *first.lines(), sep="\n")
        if "timeout" in (first.code, second.code):
            return f"FAIL {interpreter.name} {program.name}: does not end"
        if first == second:
            return None
        return show_difference(f"{interpreter.name} {program.name}", first, second, "first", "second")

    passed = failed = 0
    for trouble in parallel(args.jobs, twice, programs):
        if trouble is None:
            passed += 1
        else:
            failed += 1
            print(trouble, flush=True)
    return passed, failed


def parse_arguments():
    p = argparse.ArgumentParser(description="Compare the runner with the plain interpreter.")
    p.add_argument("--bin", default=str(ROOT / "build/python-runner-mcp"))
    p.add_argument("--python", nargs="+", metavar="PATH", help="these interpreters only")
    p.add_argument("--sample", metavar="K/HASH", help="K programs for each interpreter, chosen by the hash")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="programs whose name contains TEXT")
    p.add_argument("--cache", default=str(ROOT / "build/diff-cache"), help="'' for none")
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the server, RUNNER_...")
    p.add_argument("--site-packages", action="store_true", help="without -S on both sides")
    p.add_argument("--validate", action="store_true", help="are the programs deterministic? needs no runner")
    p.add_argument("--show", action="store_true", help="with --validate: print what each leaves")
    p.add_argument("--census", action="store_true", help="count programs and imported modules, run nothing")
    args = p.parse_args()
    args.cache = args.cache or None
    if args.site_packages:
        options.remove("-S")
        args.set.append("RUNNER_SITE_PACKAGES=true")
    return args


def census(programs):
    areas, modules = {}, set()
    for program in programs:
        areas[program.name.split("/")[0]] = areas.get(program.name.split("/")[0], 0) + 1
        modules |= program.imports()
    known = set(getattr(sys, "stdlib_module_names", modules))
    modules = sorted(m for m in modules if m.split(".")[0] in known)
    print(*(f"{n:4} {area}" for area, n in sorted(areas.items())), sep="\n")
    print(f"{len(modules)} modules of the standard library: {' '.join(modules)}")
    print(f"{len(programs)} programs")


def main():
    args = parse_arguments()
    programs = [Program(p) for p in sorted((HERE / "programs").glob("*/*.py"))]
    if args.only:
        programs = [p for p in programs if any(t in p.name for t in args.only)]
    if args.census:
        return census(programs)
    interpreters = find_interpreters(args.python)
    if not interpreters or not programs:
        print(f"{len(interpreters)} interpreters and {len(programs)} programs found: nothing to compare")
        print("0 passed, 1 failed")
        return 1
    total_passed = total_failed = 0
    with tempfile.TemporaryDirectory(prefix="d-") as temp:
        os.environ["DIFF_TEMP"] = temp
        for interpreter in interpreters:
            mine = [p for p in programs if p.needs <= interpreter.version]
            mine, left_out = choose(mine, args.sample, interpreter)
            if args.validate:
                passed, failed = validate_interpreter(args, interpreter, mine)
            else:
                try:
                    passed, failed = check_interpreter(args, interpreter, mine, temp)
                except ServerGone as e:
                    passed, failed = 0, 1
                    print(f"FAIL {interpreter.name}: {e}")
                    print(e_log(temp, interpreter))
            print(f"CPython {interpreter.name} ({interpreter.executable}): {passed} passed, {failed} failed",
                  flush=True)
            if left_out:
                print(f"  left out by the sample ({len(left_out)}):", *(p.name for p in left_out))
            total_passed += passed
            total_failed += failed
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed else 0


def e_log(temp, interpreter):
    log = Path(temp) / f"server-{interpreter.name}.log"
    return log.read_text(errors="replace")[-2000:] if log.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
