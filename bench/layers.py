#!/usr/bin/env python3
"""What each layer of the sandbox costs a call: `print(1)`, with layers on and off, against bare `python3 -I -S -c`.

    layers.py --server PATH [--python PATH] [--rounds N] [--calls N] [--busy] [--write FILE]

One server for each set of layers, all alive at once; in each round every one of them is asked in turn, in another order, so
that whatever else the machine does falls on all alike. A round gives a median and a 95th percentile; the table has the
median of the rounds' and, in brackets, their quartiles. Times are a client's: from the request's bytes to the answer's.
Ratios are to the bare interpreter, started and waited for in the same rounds. A busy machine (load of more than 2) is
refused: its numbers say nothing; --busy measures all the same.
"""
import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

CODE = "print(1)"
OFF = "RUNNER_TEST_LAYERS_OFF"
SETS = {
    "all layers": {},
    "without seccomp": {OFF: "seccomp"},
    "without Landlock": {OFF: "landlock"},
    "without namespaces": {OFF: "namespaces"},
    "namespaces alone": {OFF: "landlock,seccomp"},
    "limits alone": {"RUNNER_SANDBOX": "rlimits"},
}


class Server:
    """The smallest client: one request at a time."""

    def __init__(self, binary, python, settings):
        self.folder = tempfile.TemporaryDirectory(prefix="bench-")
        env = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "/"), "TMPDIR": self.folder.name,
               "RUNNER_PYTHON": python, "RUNNER_LOG_LEVEL": "ERROR", **settings}
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.n = 0
        self.info = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                            "clientInfo": {"name": "bench", "version": "1"}})

    def ask(self, method, params):
        self.n += 1
        message = {"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the server ended with {self.process.wait()}")
            if f'"id":{self.n}'.encode() in line.replace(b" ", b""):
                return json.loads(line)

    def call(self):
        answer = self.ask("tools/call", {"name": "run_python", "arguments": {"code": CODE}})
        if answer["result"]["_meta"]["python-runner/outcome"]["exit_code"] != 0:
            raise SystemExit(f"the program did not run: {answer}")

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.folder.cleanup()


def bare(python):
    subprocess.run([python, "-I", "-S", "-c", CODE], stdout=subprocess.DEVNULL, check=True)


def timed_ms(work, n):
    times = []
    for _ in range(n):
        started = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - started) / 1e6)
    return times


def percentiles(times):
    ordered = sorted(times)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def measure(subjects, rounds, calls):
    """name -> [(p50, p95) of each round]"""
    found = {name: [] for name in subjects}
    for work in subjects.values():
        timed_ms(work, 5)
    for _ in range(rounds):
        names = list(subjects)
        random.shuffle(names)
        for name in names:
            found[name].append(percentiles(timed_ms(subjects[name], calls)))
    return found


def spread(values):
    low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return middle, f"{middle:.2f} ({low:.2f} to {high:.2f})"


def table(found, base):
    whole = statistics.median(p50 for p50, _ in found[base])
    lines = ["| | p50, ms | p95, ms | p50, bare = 1 |", "|---|---:|---:|---:|"]
    for name, rounds in found.items():
        p50, p50_text = spread([r[0] for r in rounds])
        _, p95_text = spread([r[1] for r in rounds])
        lines.append(f"| {name} | {p50_text} | {p95_text} | {p50 / whole:.2f} |")
    return "\n".join(lines)


def machine(python):
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{model}, {os.cpu_count()} processors; Linux {platform.release()}; {version}; load at the start {os.getloadavg()[0]:.1f}"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--server", required=True)
    p.add_argument("--python", default="/usr/bin/python3")
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--calls", type=int, default=40, help="in each round")
    p.add_argument("--busy", action="store_true")
    p.add_argument("--write", metavar="FILE")
    args = p.parse_args()
    if os.getloadavg()[0] > 2 and not args.busy:
        print(f"The machine is busy (load {os.getloadavg()[0]:.1f}): nothing was measured. Try again when it is quiet, or with --busy.")
        return 3
    where = machine(args.python)
    servers = {name: Server(args.server, args.python, settings) for name, settings in SETS.items()}
    base = "bare `python3 -I -S -c`"
    try:
        found = measure({base: lambda: bare(args.python), **{n: s.call for n, s in servers.items()}}, args.rounds, args.calls)
    finally:
        for server in servers.values():
            server.close()
    text = (f"# What the layers cost\n\n{where}.\n\nOne call of `print(1)`, {args.rounds} rounds of {args.calls}, all sets in turn: median of the "
            f"rounds (quartiles).\n\n{table(found, base)}\n")
    print(text)
    if args.write:
        with open(args.write, "w") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
