"""What the processes of a server are doing and what they cost, as /proc and perf_event_open(2) tell it."""
import ctypes
import os
import platform
import struct


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


HAS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # CONFIG_PROC_CHILDREN


def children(pid):
    """proc(5), /proc/PID/task/TID/children: each thread has its own. Where the kernel was built without it, all of /proc."""
    if not HAS_CHILDREN:
        return [int(p) for p in os.listdir("/proc") if p.isdigit() and parent(p) == pid]
    found = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return found
    for thread in threads:
        found += [int(p) for p in read(f"/proc/{pid}/task/{thread}/children").split()]
    return found


def parent(pid):
    stat = read(f"/proc/{pid}/stat")
    fields = stat[stat.rfind(b")") + 2:].split()
    return int(fields[1]) if fields else None


def descendants(pid):
    found, todo = [], [pid]
    while todo:
        below = children(todo.pop())
        found += below
        todo += below
    return found


def sleeping(pid):
    """The processes of the tree when all of them sleep, otherwise None."""
    pids = [pid, *descendants(pid)]
    for p in pids:
        stat = read(f"/proc/{p}/stat")
        if stat[stat.rfind(b")") + 2:][:1] != b"S":
            return None
    return frozenset(pids)


def memory_kb(pid):
    """{"resident", "anonymous", "private"} or None where the kernel does not say (another user's, or not dumpable)."""
    rollup = read(f"/proc/{pid}/smaps_rollup").decode()
    if "Rss:" not in rollup:
        return None
    kb = {}
    for line in rollup.splitlines()[1:]:
        name, value = line.split(":")
        kb[name] = int(value.split()[0])
    return {"resident": kb["Rss"], "anonymous": kb["Anonymous"], "private": kb["Private_Clean"] + kb["Private_Dirty"]}


def machine_busy_seconds():
    """CPU time of the whole machine that was not idle, proc(5); in ticks, so for long stretches only."""
    user, nice, system, _, _, irq, softirq, *_ = (int(n) for n in read("/proc/stat").split(b"\n", 1)[0].split()[1:])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


class CpuOfChildren:
    """Seconds of CPU of every process that this one starts from now on, and of all that those start, living or dead.

    A task clock that is inherited, less the same clock without inheritance. getrusage(2) would not do: the template lets the
    kernel reap its children (SA_NOCLDWAIT), and then nobody is told what they used. What the kernel does in threads of its own
    for a run, such as taking down a network namespace, is in neither.
    """

    NUMBERS = {"x86_64": 298, "aarch64": 241}  # perf_event_open, asm/unistd.h
    SOFTWARE, TASK_CLOCK = 1, 1  # linux/perf_event.h
    INHERIT, EXCLUDE_KERNEL = 1 << 1, 1 << 5  # the second changes nothing for a clock, and needs fewer rights

    def __init__(self):
        self.fds = [self._open(self.INHERIT), self._open(0)]

    def _open(self, flags):
        number = self.NUMBERS.get(platform.machine())
        if number is None:
            raise OSError(f"perf_event_open is not known for {platform.machine()}")
        size = 64
        attributes = struct.pack("=IIQQQQQ", self.SOFTWARE, size, self.TASK_CLOCK, 0, 0, 0, flags | self.EXCLUDE_KERNEL)
        buffer = ctypes.create_string_buffer(attributes.ljust(size, b"\0"), size)
        libc = ctypes.CDLL(None, use_errno=True)
        close_on_exec = 8
        fd = libc.syscall(ctypes.c_long(number), buffer, 0, -1, -1, ctypes.c_ulong(close_on_exec))
        if fd < 0:
            error = ctypes.get_errno()
            raise OSError(error, f"perf_event_open: {os.strerror(error)} (see kernel.perf_event_paranoid)")
        return fd

    def seconds(self):
        all_of_us, me = (struct.unpack("=Q", os.read(fd, 8))[0] for fd in self.fds)
        return (all_of_us - me) / 1e9

    def close(self):
        for fd in self.fds:
            os.close(fd)
