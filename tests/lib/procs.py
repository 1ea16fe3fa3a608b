"""What lives on this machine, seen through /proc. No state, nothing cached."""
import os
import select
import time


def pids():
    return [int(n) for n in os.listdir("/proc") if n.isdigit()]


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


def stat(pid):
    """(state, parent) or None."""
    data = read(pid, "stat")
    if not data:
        return None
    fields = data[data.rindex(b")") + 2:].split()
    return fields[0].decode(), int(fields[1])


def children(pid):
    found = []
    for p in pids():
        s = stat(p)
        if s and s[1] == pid:
            found.append(p)
    return sorted(found)


def descendants(pid):
    parents = {}
    for p in pids():
        s = stat(p)
        if s:
            parents.setdefault(s[1], []).append(p)
    found, todo = [], [pid]
    while todo:
        below = parents.get(todo.pop(), [])
        found += below
        todo += below
    return sorted(found)


def zombies(pid):
    return [p for p in descendants(pid) if (stat(p) or ("", 0))[0] == "Z"]


def with_argument(marker):
    """Processes whose command line holds `marker`, this one excepted."""
    return [p for p in pids() if p != os.getpid() and marker.encode() in read(p, "cmdline")]


def below(folder):
    """Processes whose working directory is below `folder`."""
    found = []
    for p in pids():
        try:
            if os.readlink(f"/proc/{p}/cwd").startswith(folder):
                found.append(p)
        except OSError:
            pass
    return found


def rss_kb(pid):
    for line in read(pid, "status").splitlines():
        if line.startswith(b"VmRSS:"):
            return int(line.split()[1])
    return 0


def peak_kb(pid):
    for line in read(pid, "status").splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1])
    return 0


def n_fds(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def cpu_seconds(pid):
    fields = read(pid, "stat").rsplit(b")", 1)[-1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def threads_of_user(uid):
    """What RLIMIT_NPROC counts."""
    found = 0
    for p in pids():
        fields = dict(line.split(b":", 1) for line in read(p, "status").splitlines() if b":" in line)
        if b"Uid" in fields and int(fields[b"Uid"].split()[0]) == uid:
            found += int(fields[b"Threads"])
    return found


def files_of_runs(folder):
    """What lies below it, but for the main.py that each waiting worker has made where there is no private root: an empty one."""
    found = []
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            try:
                if not path.endswith(os.path.join("work", "main.py")) or os.path.getsize(path) > 0:
                    found.append(path)
            except FileNotFoundError:  # a moment ago it was there
                pass
    return found


def wait_gone(pid, timeout):
    """True once the process has ended (a zombie counts as ended)."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], timeout)[0])
    finally:
        os.close(fd)


def wait_until(predicate, timeout, step=0.005):
    """For what /proc gives no event for: looks again every few milliseconds."""
    end = time.monotonic() + timeout
    while True:
        value = predicate()
        if value or time.monotonic() > end:
            return value
        time.sleep(step)
