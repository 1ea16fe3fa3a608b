"""The measurements: each is a number of rounds, and in a round every subject has its turn, in another order each time, so that
whatever else the machine does falls on all alike. They give plain lists of what was seen, one a round; report.py makes
medians and ratios of them. Every answer is checked, after the turn it came in."""
import contextlib
import gc
import random
import time

import tree

WARM_UP_CALLS = 3  # of a quick program; one of a slow one
PAUSE_BETWEEN_TURNS_SEC = 0.03  # the kernel takes down network namespaces a while after their processes
IDLE_SEC = 0.4
OTHERS_BUSY_MAX = 0.1  # of a processor, while everything measured is idle


@contextlib.contextmanager
def started(subjects):
    """All of them alive at once; none of them costs the others anything while it waits."""
    with contextlib.ExitStack() as stack:
        for s in subjects:
            stack.callback(s.stop)
            s.start()
        gc.collect()
        gc.disable()
        stack.callback(gc.enable)
        yield


def turns(subjects, rounds):
    """Subject after subject, each turn beginning on a quiet machine."""
    for _ in range(rounds):
        for s in random.sample(subjects, len(subjects)):
            s.settle()
            time.sleep(PAUSE_BETWEEN_TURNS_SEC)
            yield s
            s.settle()


def timed(call, work, n, before=None):
    """(milliseconds, answers) of n calls."""
    times, answers = [], []
    for _ in range(n):
        if before:
            before()
        begin = time.perf_counter_ns()
        answer = call(work)
        times.append((time.perf_counter_ns() - begin) / 1e6)
        answers.append(answer)
    return times, answers


def latency(subjects, work, rounds, paced_calls, back_calls):
    """{key: {"paced": [[ms]], "back": [[ms]]}}. Paced: the client thinks until the server is at rest again, as an agent does.
    Back to back: the next call leaves in the moment the answer is there."""
    found = {s.key: {"paced": [], "back": []} for s in subjects}
    with started(subjects):
        for s in subjects:
            timed(s.run, work, min(WARM_UP_CALLS, paced_calls, rounds - 1))
        for s in turns(subjects, rounds):
            paced, answers = timed(s.run, work, paced_calls, before=s.settle)
            s.settle()
            back, more = timed(s.run, work, back_calls)
            for answer in answers + more:
                s.check(work, answer)
            found[s.key]["paced"].append(paced)
            found[s.key]["back"].append(back)
    return found


def output(subjects, work, rounds):
    """{key: [ms]}: the whole time of a program that prints much; processes have `| cat >/dev/null` as their reader."""
    found = {s.key: [] for s in subjects}
    with started(subjects):
        for s in turns(subjects, rounds):
            times, answers = timed(s.drain, work, 1, before=s.settle)
            s.check_drained(work, answers[0])
            found[s.key] += times
    return found


def throughput(subjects, work, in_flight, rounds, seconds):
    """{key: [programs a second]}"""
    found = {s.key: [] for s in subjects}
    with started(subjects):
        for s in subjects:
            timed(s.run, work, WARM_UP_CALLS)
        for s in turns(subjects, rounds):
            rate, answers = s.flow(work, in_flight, seconds)
            for answer in answers:
                s.check(work, answer)
            found[s.key].append(rate)
    return found


def first_results(subjects, work, rounds):
    """{key: [ms]}: from before a server's process exists to its first result; for a process the program itself."""
    found = {s.key: [] for s in subjects}
    for _ in range(rounds):
        for s in random.sample(subjects, len(subjects)):
            time.sleep(PAUSE_BETWEEN_TURNS_SEC)
            try:
                times, answers = timed(s.first_result, work, 1)
                found[s.key] += times
                s.check(work, answers[0])
            finally:
                s.stop()
    return found


def cpu(subjects, work, runs):
    """{key: {"processes": ms, "machine": ms}} for one run, what an idle one uses in the same time taken off.

    "machine" is everything the machine did but this client: it has the kernel's own threads in it, and whoever else is busy;
    None where somebody else was.
    """
    found = {}
    clock = tree.CpuOfChildren()
    try:
        for s in random.sample(subjects, len(subjects)):
            with started([s]):
                timed(s.run, work, WARM_UP_CALLS)
                s.settle()
                found[s.key] = _cpu_of(s, work, runs, clock)
    finally:
        clock.close()
    return found


def _cpu_of(s, work, runs, clock):
    def look():
        others = tree.machine_busy_seconds() - time.process_time()
        return {"processes": clock.seconds(), "machine": others, "at": time.monotonic()}

    looks = [look()]
    time.sleep(IDLE_SEC)
    looks.append(look())
    _, answers = timed(s.run, work, runs)
    s.settle()
    time.sleep(PAUSE_BETWEEN_TURNS_SEC)
    looks.append(look())
    for answer in answers:
        s.check(work, answer)
    idle, busy = ({k: b[k] - a[k] for k in a} for a, b in zip(looks, looks[1:]))
    found = {k: max(0.0, busy[k] - idle[k] / idle["at"] * busy["at"]) * 1000 / runs for k in ("processes", "machine")}
    if idle["machine"] > OTHERS_BUSY_MAX * idle["at"]:
        found["machine"] = None
    return found


def memory(server, work, runs):
    """What supervisor, template and each waiting pair of keeper and worker hold, and the supervisor after so many runs."""
    with started([server]):
        found = {"roles": _roles(server), "waiting": None, "runs": runs, "marks": []}
        done = 0
        for mark in (max(1, runs // 10), runs):
            while done < mark:
                calls = min(1000, mark - done)
                for answer in server.flow(work, 4, 0, calls)[1]:
                    server.check(work, answer)
                done += calls
            server.settle()
            found["marks"].append((done, tree.memory_kb(server.pid)))
    return found


def _roles(server):
    """{role: [kB of each]}; a process whose memory can't be read is None."""
    templates = tree.children(server.pid)
    keepers = [k for t in templates for k in tree.children(t)]
    workers = [w for k in keepers for w in tree.children(k)]
    return {name: [tree.memory_kb(p) for p in pids]
            for name, pids in (("supervisor", [server.pid]), ("template", templates), ("keeper", keepers), ("worker", workers))}
