#!/usr/bin/env python3
"""What each layer of the sandbox costs: `print(1)`, with layers on and off, against bare `python3 -I -S -c`.

    layers.py --server PATH [--python PATH] [--rounds N] [--calls N] [--busy] [--write FILE]

One server for each set of layers, measured as main.py measures (see there): in turns, in another order each round. A worker
is locked in before its call comes, so paced calls show what a layer costs the program and its end; back to back the cost of
locking the next workers in is there too.
"""
import argparse
import os
import sys

import main as bench
import measure
import report
import subjects
from work import Work

OFF = "RUNNER_TEST_LAYERS_OFF"
SETS = {
    "all layers": {},
    "without seccomp": {OFF: "seccomp"},
    "without Landlock": {OFF: "landlock"},
    "without namespaces": {OFF: "namespaces"},
    "namespaces alone": {OFF: "landlock,seccomp"},
    "limits alone": {"RUNNER_SANDBOX": "rlimits"},
}


def table(found):
    f = report.Figures({"latency": {"print": found}, "missing": {}})
    body = []
    for key in found:
        row = [key]
        for how in ("paced", "back"):
            row += [report.fraction_with_spread(f.p50_ratio("print", key, subjects.NAMES["b"], how)),
                    report.with_spread(report.spread(f.medians("print", key, how)))]
        body.append(row)
    return report.table(["", "paced p50, bare = 1", "ms", "back to back p50, bare = 1", "ms"], body)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--server", required=True)
    p.add_argument("--python", default="/usr/bin/python3")
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--calls", type=int, default=20, help="of each kind in each round")
    p.add_argument("--busy", action="store_true")
    p.add_argument("--write", metavar="FILE")
    args = p.parse_args()
    if bench.too_busy() and not args.busy:
        return bench.refuse()
    where = bench.machine(args.python)
    name = subjects.NAMES["b"]
    everyone = [subjects.Process(name, [args.python, "-I", "-S", "-c"], name)]
    everyone += [subjects.Server(key, [args.server], args.python, settings, key) for key, settings in SETS.items()]
    found = measure.latency(everyone, Work("print", "", "print(1)", says="1\n"), args.rounds, args.calls, args.calls)
    text = (f"# What the layers cost\n\n{where}.\n\n`print(1)`, {args.rounds} rounds of {args.calls} calls of each kind, all "
            f"sets in turn: median of the rounds (quartiles).\n\n{table(found)}\n")
    print(text)
    if args.write:
        with open(args.write, "w") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
