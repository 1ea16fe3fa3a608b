#!/usr/bin/env python3
"""The system calls of a call, counted by strace, against the table in docs/PERFORMANCE.md.

From the moment the supervisor has read the request to the moment it has written the answer: its own, and those of the
worker. Which events come together is chance, so that the least of several calls counts; of those that found a worker ready,
which has to be bound then. More than the table has is a failure, and so is less: the table is to be true. Last line:
`N passed, N failed`.
"""
import collections
import os
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "lib"))

import mcp  # noqa: E402
import procs  # noqa: E402

CALLS = 16
APART = {("supervisor", "read"): 1, ("supervisor", "epoll_wait"): 1}  # an end that came by itself, in all of the calls
CODE = "print(sum(range(10)))"
HEADING = "## The system calls of a call"


def documented():
    """{"supervisor": Counter, "worker": Counter} of the table's rows `| who | call | times | why |`."""
    text = (ROOT / "docs/PERFORMANCE.md").read_text()
    section = text[text.index(HEADING):].split("\n## ")[0]
    found = {"supervisor": collections.Counter(), "worker": collections.Counter()}
    for who, call, times in re.findall(r"^\| (supervisor|worker) \| `(\w+)` \| (\d+) \|", section, re.M):
        found[who][call] += int(times)
    return found


def trace(folder):
    """The lines of strace, [(pid, text)], of calls that each found workers waiting and nothing else going on."""
    out = os.path.join(folder, "trace")
    c = mcp.Client({"RUNNER_LOG_LEVEL": "ERROR", "RUNNER_WARM_WORKERS": "2"},
                   argv=["strace", "-f", "-qq", "-s", "60", "-o", out, mcp.SERVER])
    try:
        for _ in range(CALLS):
            n = 6  # strace, the server, the template, and two workers with their keepers: below strace all but itself
            if not procs.wait_until(lambda: len(procs.descendants(c.pid)) == n and waits(c.pid), 20 * mcp.SLOW):
                raise SystemExit("no workers wait")
            if c.run(CODE).stdout != "45\n":
                raise SystemExit("a wrong answer")
    finally:
        c.close(check=False)
    return [line.split(maxsplit=1) for line in Path(out).read_text().splitlines()]


def waits(pid):
    states = [procs.stat(p) for p in procs.descendants(pid)]
    return all(s and s[0] in "St" for s in states)


def name_of(text):
    m = re.match(r"(\w+)\(", text)
    return m[1] if m else None


def parts(lines):
    """One {"supervisor": Counter, "worker": Counter} for each call."""
    begin = [i for i, (_, text) in enumerate(lines) if name_of(text) == "read" and '"method' in text or "tools/call" in text]
    for start in begin:
        supervisor = lines[start][0]
        end = next((i for i in range(start, len(lines)) if lines[i][0] == supervisor and
                    name_of(lines[i][1]) == "write" and "jsonrpc" in lines[i][1]), None)
        worker = next((pid for pid, text in lines[start:end] if pid != supervisor and "print(sum" in text), None)
        if end is None or worker is None:
            continue
        took = {"supervisor": collections.Counter(), "worker": collections.Counter()}
        for pid, text in lines[start:end + 1]:
            who = {supervisor: "supervisor", worker: "worker"}.get(pid)
            name = name_of(text)
            if who and name and name not in ("exit_group", "clock_nanosleep"):  # behind its end
                took[who][name] += 1
        if took["supervisor"]["sched_setaffinity"]:
            yield took


def main():
    with tempfile.TemporaryDirectory(prefix="budget-") as folder:
        calls = list(parts(trace(folder)))
    want = documented()
    passed = failed = 0
    if len(calls) < CALLS // 2:
        print(f"not ok: only {len(calls)} calls with a bound worker were found in the trace")
        failed += 1
    for who, table in want.items():
        least = {name: min(c[who][name] for c in calls) for name in {n for c in calls for n in c[who]} | set(table)}
        for name in sorted(n for n in least if least[n] or table[n]):
            good = table[name] <= least[name] <= table[name] + APART.get((who, name), 0)
            passed, failed = passed + good, failed + (not good)
            print(f"{'ok' if good else 'not ok'} {who}: {name}: {least[name]}, the table says {table[name]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
