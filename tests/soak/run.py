#!/usr/bin/python3
"""Ten thousand calls in a row: no growth of memory, descriptors, processes or files in supervisor and template.

    run.py [CALLS]

Calls of every kind of end are mixed; after the first tenth everything has its size. Last `N passed, N failed`.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import mcp  # noqa: E402
import procs  # noqa: E402

KINDS = [
    ("print('plain')", {}, "exited"),
    ("import sys; sys.exit(3)", {}, "exited"),
    ("1 / 0", {}, "exited"),
    ("print('x' * 30000); 'y' * 30000", {}, "exited"),
    ("import os; os.kill(os.getpid(), 9)", {}, "signaled"),
    ("open('f', 'w').write('z' * 1000); print(open('f').read()[:3])", {}, "exited"),
    ("print(input())", {"stdin": "given\n"}, "exited"),
    ("import subprocess; subprocess.Popen(['sleep', '60']); print('child')", {}, "exited"),
]
RARE = ("import time; time.sleep(9)", {"timeout": 0.05}, "timeout")


def sizes(c, template):
    return {
        "memory of the server (kB)": procs.rss_kb(c.pid),
        "memory of the template (kB)": procs.rss_kb(template),
        "descriptors of the server": procs.n_fds(c.pid),
        "descriptors of the template": procs.n_fds(template),
        "processes": len(procs.descendants(c.pid)),
        "files": sum(len(d) + len(f) for _, d, f in os.walk(c.tmp)),
    }


SETTLED = 1 + 2 * 4  # the template, and a keeper and a worker for each of the waiting

# A network namespace for each run at the same time: 4 that run, 4 that wait, and those on their way out
ALLOWED = {"memory of the server (kB)": 1024, "memory of the template (kB)": 1024, "descriptors of the template": 8}


def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    c = mcp.Client({"RUNNER_LOG_LEVEL": "WARNING", "RUNNER_TEMPLATE_MAX_RUNS": "0"})  # one template: its growth is looked at too
    c.run("1")
    template = procs.children(c.pid)[0]
    before, wrong, t = None, 0, time.monotonic()
    n = 0
    while n < calls:
        batch = []
        for _ in range(50):
            kind = RARE if n % 100 == 99 else KINDS[n % len(KINDS)]
            batch.append((c.call(kind[0], None, None, **kind[1]), kind))
            if n % 250 == 17:  # a few are cancelled
                i = c.call("import time; time.sleep(60)")
                c.cancel(i)
            n += 1
        for i, kind in batch:
            o = c.outcome(i)
            if o.status != kind[2]:
                wrong += 1
                print(f"call {i}: {o!r:.300}")
        with c.cond:  # this client's own memory must not decide anything
            c.messages.clear()
            c._answers.clear()
        if before is None and n >= calls // 10:
            procs.wait_until(lambda: len(procs.descendants(c.pid)) == SETTLED, 2)
            before = sizes(c, template)
    took = time.monotonic() - t
    procs.wait_until(lambda: len(procs.descendants(c.pid)) == SETTLED, 2)
    same = procs.children(c.pid) == [template]
    after = sizes(c, template) if same else {}
    print(f"{n} calls in {took:.1f} s, {took / n * 1000:.2f} ms each")
    rows = [("every call ended as it should", wrong == 0), ("the template was never lost", same)]
    for key, was in before.items():
        now = after.get(key, -1)
        print(f"{key}: {was} after {calls // 10} calls, {now} after {n}")
        rows.append((f"no growth: {key}", 0 <= now <= was + ALLOWED.get(key, 0)))
    try:
        c.close()
        rows.append(("a clean end", True))
    except AssertionError as e:
        print(e)
        rows.append(("a clean end", False))
    for name, ok in rows:
        print("ok" if ok else "not ok", name)
    failed = sum(not ok for _, ok in rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
