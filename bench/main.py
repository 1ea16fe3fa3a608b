#!/usr/bin/env python3
"""This server beside the others, in one run: latency, throughput, output, first result, CPU, memory.

    main.py --server PATH [--python PATH] [--quick] [--busy] [--only WORD,...] [--runs N] [--write FILE] [--json FILE]

Words of --only: competitors a b c d e p f, workloads (empty print imports traceback burn pandas), parts (latency
throughput output start cpu memory pause). Of each kind, all are measured when none is named. --runs: how often the supervisor
whose memory is looked at runs a program (the promise is about 100000). --json: everything that was seen.
A busy machine (load of more than 2) is refused with exit status 3: its numbers say nothing; --busy measures all the same.

How it is measured, and why so:
- Ratios within one run are what counts, so all subjects are measured in turns, in another order each round, and a ratio is
  made of each round's medians. Absolute times stand beside.
- Times are a client's. The client is this process: the request's bytes are made beforehand, the answer is one line, looked at
  after the turn. cat(1) in a server's place shows what is the client's.
- A call is measured in two ways. Paced, which is the headline: before it, the client waits until as many processes as at rest
  are there and all asleep, so until the pool is full again; an agent thinks for longer than that. Back to back: the next call
  leaves in the moment the answer is there, while the pool is being refilled; that is the throughput at 1 in flight.
- Nothing is pinned to a processor. A client, a server and its programs are several processes for whoever uses them, and
  where they run is the scheduler's to say: on two processors this client has one of them while it writes and reads, and the
  refilling of the pool has to find its time beside it. Pinned, the server would look better than it is.
- A server has its default settings but for what a row names. Its log goes to /dev/null.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import time

import measure
import pages
import report
import subjects
import work

PARTS = ("latency", "throughput", "output", "start", "cpu", "memory", "pause")
WORKLOADS = ("empty", "print", "imports", "traceback", "burn", "pandas")
LOAD_MAX = 2

# rounds, paced calls and back-to-back calls in each of them
LATENCY = {"print": (20, 40, 20), "burn": (6, 1, 1), "pandas": (8, 1, 1), "": (10, 15, 10)}
LATENCY_QUICK = {"print": (4, 8, 5), "burn": (1, 1, 1), "pandas": (1, 1, 1), "": (2, 4, 3)}
OUTPUT_ROUNDS = {"writes-100": 8, "prints-100": 4, "": 10}
IN_FLIGHT = (1, 4, 16)


def machine(python):
    models = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    model = models[0] if models else platform.machine()
    version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return (f"{model}, {os.cpu_count()} processors; Linux {platform.release()}; {version}; "
            f"load at the start {os.getloadavg()[0]:.1f}; {time.strftime('%Y-%m-%d')}")


def too_busy():
    return os.getloadavg()[0] > LOAD_MAX


def refuse():
    print(f"The machine is busy (load {os.getloadavg()[0]:.1f}): nothing was measured. Try again when it is quiet, or with "
          "--busy.")
    return 3


class Plan:
    """What was asked for, and how much of it."""

    def __init__(self, args):
        words = [w for w in (args.only or "").split(",") if w]
        for w in words:
            if w not in (*report.LETTERS, *WORKLOADS, *PARTS):
                raise SystemExit(f"--only: {w!r} is no competitor ({' '.join(report.LETTERS)}), workload "
                                 f"({' '.join(WORKLOADS)}) or part ({' '.join(PARTS)})")
        self.words, self.quick = words, args.quick
        self.runs = args.runs or (400 if args.quick else 3000)

    def wants(self, word, kind):
        named = [w for w in self.words if w in kind]
        return word in named if named else True

    def part(self, word):
        return self.wants(word, PARTS)

    def latency(self, key):
        sizes = LATENCY_QUICK if self.quick else LATENCY
        return sizes.get(key, sizes[""])

    def output_rounds(self, key):
        return 1 if self.quick else OUTPUT_ROUNDS.get(key, OUTPUT_ROUNDS[""])


class Bench:
    def __init__(self, plan, server, python):
        self.plan = plan
        everyone, self.missing = subjects.all_subjects(server, python)
        self.everyone = {k: s for k, s in everyone.items() if plan.wants(k, report.LETTERS)}
        works = work.latency_works(python) if plan.part("latency") else []
        self.works = {w.key: w for w in works if plan.wants(w.key, WORKLOADS)}
        if "pandas" in self.works and not work.pandas_folder(python):
            del self.works["pandas"]
            self.missing["pandas"] = "pandas is not installed (Debian: python3-pandas)"
        self.outputs = {w.key: w for w in work.output_works()} if plan.part("output") else {}
        self.one = work.Work("print", "", "print(sum(range(10)))", says="45\n")
        self.seen = {part: {} for part in PARTS}

    def some(self, keys):
        return [s for k, s in self.everyone.items() if k in keys]

    def latency(self):
        for key, w in self.works.items():
            who = self.some("abcp" if key == "pandas" else "abcdef" if key in report.FLOOR_WORK else "abcde")
            self.seen["latency"][key] = measure.latency(who, w, *self.plan.latency(key))

    def throughput(self):
        rounds, seconds = (2, 0.2) if self.plan.quick else (8, 0.4)
        for n in IN_FLIGHT:
            self.seen["throughput"][n] = measure.throughput(self.some("abcde"), self.one, n, rounds, seconds)

    def output(self):
        for key, w in self.outputs.items():
            self.seen["output"][key] = measure.output(self.some("abcde"), w, self.plan.output_rounds(key))

    def start(self):
        self.seen["start"] = measure.first_results(self.some("abcdp"), self.one, 3 if self.plan.quick else 20)

    def cpu(self):
        try:
            self.seen["cpu"] = measure.cpu(self.some("abcde"), self.one, 30 if self.plan.quick else 250)
        except OSError as e:
            self.seen["cpu"] = {"failed": str(e)}

    def memory(self):
        for s in self.some("ap"):
            runs = self.plan.runs if s.key == "a" else min(self.plan.runs, 400)
            self.seen["memory"][s.key] = measure.memory(s, self.one, runs)

    def pause(self):
        self.seen["pause"] = pages.measure(2 if self.plan.quick else 7)

    def client(self):
        """How much of a time is the client's own."""
        echo = subjects.Echo("echo", ["cat"], "", name="cat")
        return measure.latency([echo], self.one, 5, 20, 20)["echo"]

    def all(self, say):
        self.seen["client"] = self.client() if self.plan.part("latency") else {}
        for part in PARTS:
            if self.plan.part(part):
                began = time.monotonic()
                getattr(self, part)()
                say(f"{part}: {time.monotonic() - began:.0f} s")
        titles = {w.key: w.title for w in (*self.works.values(), *self.outputs.values())}
        unsettled = {k: s.unsettled for k, s in self.everyone.items()}
        return {**self.seen, "names": subjects.NAMES, "titles": titles, "missing": self.missing, "unsettled": unsettled}


def how(plan, tier):
    size = "A quick run: few rounds, its figures say little. " if plan.quick else ""
    return (f"{size}Isolation of this server: {tier}. All in one run, in turns, in another order each round. Ratios are of "
            "each round's medians; given are the median of the rounds and their quartiles; p95 and p99 are of all calls "
            "together. Nothing is pinned: the client has one of the processors while it writes and reads. `./bench.sh` makes this file; "
            "bench/main.py says how.")


def isolation(server, python):
    """The word of the server itself: full, or what is left of it here."""
    s = subjects.Server("a", [server], python)
    s.start()
    try:
        return s.hello["instructions"].rpartition(": ")[2].rstrip(".")
    finally:
        s.stop()


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog="Words of --only: see the head of this file.")
    p.add_argument("--server", required=True)
    p.add_argument("--python", default="/usr/bin/python3")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--busy", action="store_true")
    p.add_argument("--only", metavar="WORD,...")
    p.add_argument("--runs", type=int)
    p.add_argument("--write", metavar="FILE")
    p.add_argument("--json", metavar="FILE")
    return p.parse_args()


def main():
    args = arguments()
    plan = Plan(args)
    if too_busy() and not args.busy:
        return refuse()
    where = machine(args.python)
    bench = Bench(plan, args.server, args.python)
    try:
        seen = bench.all(lambda words: print(words, file=sys.stderr))
    except subjects.WrongOutput as e:
        print(f"Nothing is said of speed, since an answer was wrong. {e}")
        return 1
    seen.update(machine=where, how=how(plan, isolation(args.server, args.python)))
    figures = report.Figures(seen)
    text = report.markdown(figures)
    print(text)
    if args.write:
        with open(args.write, "w") as f:
            f.write(text)
    if args.json:
        with open(args.json, "w") as f:
            json.dump({**seen, "must_hold": report.must_hold(figures)}, f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
