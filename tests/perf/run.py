#!/usr/bin/env python3
"""How many instructions the supervisor needs for a call, counted by callgrind, against what they were.

    run.py [--server PATH] [--only TEXT...] [--record]

The real server is run twice for each row, with few calls and with many: the difference, by the number of calls, is free of
the start and the end. Which events the loop finds together is chance, so the least of a few repeats is taken.

Baselines are kept in baselines.json beside this file, for each compiler, C library, libuv, jansson and kind of build, since
all of them count; what is not there yet is added to it. A row that has grown by a tenth is a failure: find out why, or say
why in the commit that records it anew (--record). Last line: `N passed, N failed`.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

import mcp  # noqa: E402

GROWTH = 1.10
FEW, MANY = 10, 70
REPEATS = 3
ROWS = {
    "a call": "print(sum(range(10)))",
    "a value and a traceback": "1\nraise ValueError('x')",
    "100,000 characters of output": "import os\nos.write(1, b'x' * 79 + b'\\n' + b'y' * 99920)",
    "a program of 10,000 characters": "#" + "x" * 9990 + "\n1",
}


def run_version(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def build_options(server):
    """The compiler, and the kind of build as Meson has it."""
    folder = str(Path(server).resolve().parent)
    options = json.loads(subprocess.run(["meson", "introspect", "--buildoptions", folder], capture_output=True, text=True,
                                        check=True).stdout)
    chosen = {o["name"]: o["value"] for o in options}
    compiler = os.environ.get("CC", "cc")
    name = "clang" if "clang" in run_version(compiler, "--version") else "gcc"
    return f"{name} {run_version(compiler, '-dumpversion')}, -O{chosen['optimization']}, sanitize={chosen['b_sanitize']}"


def key(server):
    libraries = [f"{name} {run_version('pkg-config', '--modversion', name)}" for name in ("libuv", "jansson")]
    libc = run_version("ldd", "--version").rsplit(" ", 1)[-1]
    return ", ".join([os.uname().machine, build_options(server), f"libc {libc}", *libraries])


def count(server, code, calls):
    """Instructions of a server's whole life with so many calls."""
    with tempfile.TemporaryDirectory(prefix="perf-") as folder:
        out = os.path.join(folder, "out")
        wrapper = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "-q", server]
        c = mcp.Client({"RUNNER_LOG_LEVEL": "ERROR", "RUNNER_WARM_WORKERS": "2"}, argv=wrapper)
        try:
            for _ in range(calls):
                c.run(code)
        finally:
            c.close()
        return int(re.search(r"^(?:summary|totals): (\d+)", Path(out).read_text(), re.M)[1])


def measure(server, code, before):
    """For one call; again where it looks too much."""
    least = None
    for _ in range(REPEATS):
        n = (count(server, code, MANY) - count(server, code, FEW)) // (MANY - FEW)
        least = min(n, least or n)
        if before and least <= before * GROWTH:
            break
    return least


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--server", default=mcp.SERVER)
    p.add_argument("--only", nargs="+", default=[])
    p.add_argument("--record", action="store_true", help="what is counted now is the baseline")
    args = p.parse_args()
    path = HERE / "baselines.json"
    baselines = json.loads(path.read_text()) if path.exists() else {}
    mine = baselines.setdefault(key(args.server), {})
    passed = failed = 0
    print(f"for {key(args.server)}")
    for name, code in ROWS.items():
        if args.only and not any(t in name for t in args.only):
            continue
        before = mine.get(name)
        n = measure(args.server, code, before)
        if before is None or args.record:
            mine[name], said, good = n, "recorded", True
        else:
            good = n <= before * GROWTH
            said = f"{n / before:.3f} of {before}"
        passed, failed = passed + good, failed + (not good)
        print(f"{'ok' if good else 'not ok'} {name}: {n} instructions, {said}", flush=True)
    text = json.dumps(baselines, indent=4, sort_keys=True) + "\n"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
