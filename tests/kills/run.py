#!/usr/bin/env python3
"""kill -9 of supervisor, template or keeper at random moments under load: nothing of a server is left.

    run.py [--kills N] [--seed TEXT] [--jobs N] [--only-round N]

A round starts calls of several kinds (sleepers, forkers, daemons, fork bombs under their limit, writers, short ones, some
that run out of time), kills one process at a random moment, and looks at what is left: processes, files in the temporary
folder, mounts, control groups, POSIX and System V shared memory. Where the supervisor lives, every call is answered, a
lost one with words, and the next call works. Some rounds kill nobody and look at how runs end by themselves. Rounds
alternate between root and an ordinary user, and between the full tier and the one of a container; each round depends on
the seed and its number alone, so that --only-round repeats it (moments are as random as the machine is busy).

How nothing escapes the count: this process makes itself the reaper of last resort of all it starts (prctl(2),
PR_SET_CHILD_SUBREAPER), so whatever outlives its server becomes a child of ours. Each lane (--jobs) is a process.
Last line: `N passed, N failed`.
"""
import argparse
import ctypes
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))

import mcp
import procs
import schema
from asuser import OrdinaryUser

PR_SET_CHILD_SUBREAPER = 36
WITHIN_S = 2.0 * mcp.SLOW  # after a death, everything that hung on it has gone
ANSWER_S = 20.0 * mcp.SLOW
VICTIMS = ("supervisor", "template", "keeper", "supervisor", "template", "keeper", "keeper", "nobody")
SETTINGS = {"RUNNER_MAX_CONCURRENT": "6", "RUNNER_MAX_PROCESSES": "24", "RUNNER_MAX_CPU_SECONDS": "5",
            "RUNNER_LOG_LEVEL": "WARNING"}

# name -> (program, seconds it may run, how it ends: a status, or None where it does not end by itself)
PROGRAMS = {
    "short": ("print('short')", 20, "exited"),
    "sleeper": ("import time; time.sleep(60)", 60, None),
    "timeout": ("import time\nwhile True: time.sleep(1)", 0.2, "timeout"),
    "threads": ("import threading, time\nfor _ in range(6): threading.Thread(target=time.sleep, args=(60,)).start()", 60, None),
    "forker": ("import os, time\nfor _ in range(4):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(60)", 60, None),
    "daemon": ("import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        for f in (0, 1, 2): os.close(f)\n"
               "        time.sleep(60)\n    os._exit(0)\nos.wait(); print('a daemon is left')", 20, "exited"),
    "daemons": ("import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork(): os._exit(0)\n"
                "        time.sleep(60)\ntime.sleep(60)", 60, None),
    "ignorer": ("import os, signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\nif os.fork() == 0: os.setsid()\n"
                "time.sleep(60)", 60, None),
    "bomb": ("import os, time\nwhile True:\n    try: os.fork()\n    except OSError: time.sleep(0.05)", 0.6, "timeout"),
    "writer": ("import ctypes, os, time\n"
               "for d in ('.', '/tmp', '/dev/shm', os.environ['TMPDIR']):\n"
               "    try:\n"
               "        for n in range(20): open(f'{d}/MARK-{n}', 'wb').write(bytes(1000))\n"
               "        os.makedirs(f'{d}/MARK/a/b/c'); os.mkfifo(f'{d}/MARK/a/fifo')\n"
               "    except OSError: pass\n"
               "libc = ctypes.CDLL(None)\n"
               "libc.shmget(KEY, 4096, 0o1600); libc.semget(KEY, 1, 0o1600); libc.msgget(KEY, 0o1600)\n"
               "while True: print('x' * 5000)", 60, None),
}
LONG = [name for name, (_, _, ending) in PROGRAMS.items() if ending is None]
BRIEF = [name for name, (_, _, ending) in PROGRAMS.items() if ending is not None]


class Left(AssertionError):
    pass


# --- what is there ----------------------------------------------------------------------------------


def tree():
    """parent -> children, and pid -> state, of every process."""
    below, states = {}, {}
    for pid in procs.pids():
        s = procs.stat(pid)
        if s:
            states[pid] = s[0]
            below.setdefault(s[1], []).append(pid)
    return below, states


def under(below, root):
    found, todo = [], [root]
    while todo:
        more = below.get(todo.pop(), [])
        found += more
        todo += more
    return found


def reap(pid):
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass


def own_processes(servers):
    """Processes that we started, the given servers and all below them excepted. Dead ones are reaped."""
    below, states = tree()
    found = []
    for child in below.get(os.getpid(), []):
        if child in servers:
            continue
        if states[child] == "Z":
            reap(child)
        else:
            found.append(child)
        found += [p for p in under(below, child) if states[p] != "Z"]
    return found


def describe(pids):
    return [(p, (procs.stat(p) or "?")[0], procs.read(p, "comm").decode("utf-8", "replace").strip(),
             procs.read(p, "cmdline").replace(b"\0", b" ").decode("utf-8", "replace")[:60]) for p in pids]


def mounts(temp):
    """Mounts that look like ours, in our own view of the file system."""
    lines = procs.read("self", "mounts").decode("utf-8", "replace").splitlines()
    return [line for line in lines if temp in line or line.split()[1].startswith("/box") or line.split()[0] in ("root", "run", "mask")]


def groups():
    """Control groups below the one that we are in."""
    found = set()
    for line in procs.read("self", "cgroup").decode().splitlines():
        _, controllers, path = line.split(":", 2)
        top = "/sys/fs/cgroup" + (f"/{controllers.removeprefix('name=')}" if controllers else "") + path
        if path != "/":
            found.update(folder for folder, _, _ in os.walk(top))
    return found


def system_v(key):
    found = []
    for kind in ("shm", "sem", "msg"):
        try:
            lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
        except OSError:
            continue
        found += [f"{kind} {line.split()[1]}" for line in lines if int(line.split()[0]) == key]
    return found


class Scene:
    """One server, what was there before it, and what has to be gone after it.

    `warm` workers wait for a call, each with its keeper (and without a private root with a directory): they may be there,
    no more and no fewer, once everything is quiet.
    """

    def __init__(self, lane, rng, early=False, warm=2):
        self.warm = warm
        self.lane, self.rng = lane, rng
        self.mark = f"kills-{os.getpid()}-{rng.getrandbits(32):08x}"
        self.key = 0x6B000000 | rng.getrandbits(20)
        self.groups = groups()
        env = {**SETTINGS, "RUNNER_WARM_WORKERS": str(warm)}
        if lane.tier == "container":
            env["RUNNER_TEST_LAYERS_OFF"] = "namespaces"
        arguments = lane.user.client_arguments() if lane.identity == "user" else {}
        self.client = mcp.Client(env, schema.MODERN if early else schema.LATEST_LEGACY, **arguments)
        lane.servers.add(self.client.pid)
        self.calls = []  # (id, name of the program)

    def start(self, names):
        for name in names:
            code, seconds, _ = PROGRAMS[name]
            if self.lane.tier == "container":
                # Other processes of this user are about, the other client's: nothing shared is removed then (a named gap)
                code = code.replace("'/dev/shm', ", "")
            code = code.replace("MARK", self.mark).replace("KEY", str(self.key))
            self.calls.append((self.client.call(code, timeout=seconds), name))

    def load(self, alive):
        """Programs for a round. Without namespaces nothing bounds the processes of root's runs (a named gap): no bombs there."""
        names = [self.rng.choice(LONG) for _ in range(self.rng.randint(2, 4))]
        names += [self.rng.choice(BRIEF) for _ in range(self.rng.randint(2, 5))]
        if not alive:
            names += [self.rng.choice(LONG) for _ in range(3)]
        self.rng.shuffle(names)
        self.start("timeout" if name == "bomb" and self.lane.tier == "container" else name for name in names)

    # -- whom to kill

    def template(self):
        """The child of the server that is neither a keeper nor a helper."""
        for pid in reversed(procs.children(self.client.pid)):
            if b"main.py" in procs.read(pid, "cmdline") and procs.stat(pid)[0] != "Z" and b"keeper" not in procs.read(pid, "comm"):
                return pid
        return None

    def keepers(self):
        template = self.template()
        return [p for p in procs.children(template) if (procs.stat(p) or "Z")[0] != "Z"] if template else []

    def kill(self, victim):
        """False when there was nobody to kill."""
        find = {"supervisor": lambda: [self.client.pid], "template": lambda: [p for p in [self.template()] if p], "keeper": self.keepers}
        found = procs.wait_until(find[victim], 5 * mcp.SLOW, 0.001)
        if not found:
            return False
        pid = self.rng.choice(found)
        parent = procs.stat(pid)
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            return False
        try:
            if parent is None or procs.stat(pid) is None:
                return False
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            return True
        except ProcessLookupError:
            return False
        finally:
            os.close(handle)

    # -- afterwards

    @staticmethod
    def is_lost(o):
        return o.is_error and o.status == "sandbox_error" and "lost" in o.text

    def answers(self, lost_max):
        """The next call works; each call is answered as its program ends, or is lost, with words."""
        lost = 0
        for last in (lost_max == 0, True):
            o = self.client.outcome(self.client.call("print('next')", timeout=30), ANSWER_S)
            if last or not self.is_lost(o):
                break
            lost += 1  # handed to a worker whose keeper was being killed
        if (o.status, o.stdout) != ("exited", "next\n"):
            raise Left(f"the next call: {o.text[-500:]}")
        for i, name in self.calls:
            ending = PROGRAMS[name][2]
            if ending is None and not self.client.answers(i):
                self.client.cancel(i)
                continue
            o = self.client.outcome(i, ANSWER_S)
            if self.is_lost(o):
                lost += 1
            elif o.status != ending:
                raise Left(f"{name} ended so: {o.text[-500:]}")
        if lost > lost_max:
            raise Left(f"{lost} calls were lost")
        self.calls.clear()
        return lost

    def _left(self, alive):
        faults = []
        if alive:
            below, states = tree()
            mine = under(below, self.client.pid)
            if len(mine) != 1 + 2 * self.warm:
                faults.append(f"{len(mine)} processes {describe(mine)}")
        more = own_processes(self.lane.servers)
        if more:
            faults.append(f"orphans {describe(more)}")
        temp = self.client.tmp
        entries = os.listdir(temp)
        waiting = self.warm if alive and self.lane.tier == "container" else 0
        if len(entries) != waiting or procs.files_of_runs(temp):
            faults.append(f"{len(entries)} directories where {waiting} wait, files {(procs.files_of_runs(temp) or entries)[:5]}")
        found = [n for place in ("/dev/shm", "/tmp") for n in os.listdir(place) if self.mark in n]
        found += system_v(self.key)
        if found:
            faults.append(f"shared memory and temporary files {found[:5]}")
        if mounts(temp):
            faults.append(f"mounts {mounts(temp)[:3]}")
        if groups() - self.groups:
            faults.append(f"control groups {sorted(groups() - self.groups)[:3]}")
        return faults

    def left(self, alive):
        started = time.monotonic()
        procs.wait_until(lambda: self._quiet(alive), WITHIN_S, 0.02)
        faults = self._left_or_raced(alive)
        if faults:
            raise Left(f"{WITHIN_S:g} s later there are still: " + "; ".join(faults))
        return time.monotonic() - started

    def _quiet(self, alive):
        """Twice in a row: what is left must not pass for a waiting worker that is still to come."""
        if self._left_or_raced(alive):
            return False
        time.sleep(0.02)
        return not self._left_or_raced(alive)

    def _left_or_raced(self, alive):
        try:
            return self._left(alive)
        except OSError as e:  # it went while we looked
            return [f"something that is just going: {e}"]

    def close(self):
        self.lane.servers.discard(self.client.pid)
        self.client.close(check=False)
        for pid in own_processes(self.lane.servers):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


# --- lanes ------------------------------------------------------------------------------------------


class Bystander(threading.Thread):
    """Another client with a server of its own, whose calls none of this may disturb."""

    def __init__(self, lane):
        super().__init__(daemon=True)
        self.client = mcp.Client({"RUNNER_LOG_LEVEL": "WARNING"})
        lane.servers.add(self.client.pid)
        self.ended, self.n, self.trouble = threading.Event(), 0, None

    def run(self):
        while not self.ended.wait(0.05) and not self.trouble:
            try:
                o = self.client.run(f"print({self.n})", ANSWER_S)
                if o.stdout != f"{self.n}\n":
                    self.trouble = o.text
                self.n += 1
            except Exception as e:  # the thread must not go silently
                self.trouble = repr(e)

    def close(self):
        self.ended.set()
        self.join()
        try:
            self.client.close()
        except AssertionError as e:
            self.trouble = self.trouble or str(e)


class Lane:
    def __init__(self, seed):
        self.seed = seed
        self.servers = set()
        self.user = OrdinaryUser()
        self.identity = self.tier = None
        self.kept = {}  # (identity, tier) -> Scene that goes on
        self.slowest = 0.0

    def scene(self, rng):
        key = (self.identity, self.tier)
        if key not in self.kept:
            self.kept[key] = Scene(self, rng)
        scene = self.kept[key]
        scene.rng = rng
        return scene

    def kill_supervisor(self, rng):
        early = rng.random() < 0.2  # while it starts
        scene = Scene(self, rng, early, rng.choice((0, 2, 4)))
        try:
            idle = not early and rng.random() < 0.15
            if not early and (idle or rng.random() < 0.5):
                scene.client.run("1")
            if not idle and (not early or rng.random() < 0.5):
                scene.load(alive=False)
            time.sleep(rng.random() ** 2 * 0.3)
            scene.kill("supervisor")
            scene.client.wait_exit(5)
            self.servers.discard(scene.client.pid)
            return f"gone within {self.took(scene.left(alive=False)):.2f} s"
        finally:
            scene.close()

    def kill_below(self, rng, victim):
        scene = self.scene(rng)
        try:
            scene.load(alive=True)
            time.sleep(rng.random() ** 2 * 0.3)
            if victim != "nobody" and not any(scene.kill(victim) for _ in range(20)):  # some are gone before they are hit
                raise Left(f"there was no {victim} to kill")
            lost = scene.answers(1 if victim == "keeper" else 0)
            took = self.took(scene.left(alive=True))
            return f"gone within {took:.2f} s, {lost} lost"
        except BaseException:
            self.kept.pop((self.identity, self.tier)).close()
            raise

    def took(self, seconds):
        self.slowest = max(self.slowest, seconds)
        return seconds

    def round(self, number):
        rng = random.Random(f"{self.seed} {number}")
        victim = VICTIMS[number % len(VICTIMS)]
        self.identity = ("caller", "user")[number // len(VICTIMS) % 2] if os.geteuid() == 0 else "caller"
        self.tier = "container" if rng.random() < 0.25 else "full"
        started = time.monotonic()
        who = "root" if self.identity == "caller" and os.geteuid() == 0 else "an ordinary user"
        name = f"round {number}: {victim}, {self.tier} tier, {who}"
        try:
            says = self.kill_supervisor(rng) if victim == "supervisor" else self.kill_below(rng, victim)
            print(f"ok {name}: {says} ({time.monotonic() - started:.1f} s)", flush=True)
            return True
        except (AssertionError, OSError) as e:
            print(f"not ok {name}: {e}", flush=True)
            return False

    def close(self):
        for scene in self.kept.values():
            scene.close()
        self.user.close()


def run_lane(numbers, seed):
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    lane = Lane(seed)
    bystander = Bystander(lane)
    bystander.start()
    passed = failed = 0
    try:
        for number in numbers:
            if lane.round(number):
                passed += 1
            else:
                failed += 1
    finally:
        lane.close()
        bystander.close()
    if bystander.trouble:
        failed += 1
        print(f"not ok the other client: {bystander.trouble[-500:]}")
    else:
        passed += 1
        print(f"ok the other client: {bystander.n} calls answered")
    print(f"slowest: {lane.slowest:.2f} s")
    print(f"{passed} passed, {failed} failed", flush=True)
    return failed


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--kills", type=int, default=200, metavar="N")
    p.add_argument("--seed", default="none")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--only-round", type=int, metavar="N")
    p.add_argument("--lane", type=int, help=argparse.SUPPRESS)
    args = p.parse_args()
    if args.only_round is not None:
        return 1 if run_lane([args.only_round], args.seed) else 0
    if args.lane is not None:
        return 1 if run_lane(range(args.lane, args.kills, args.jobs), args.seed) else 0
    print(f"seed {args.seed}, {args.kills} rounds")
    command = [sys.executable, __file__, "--kills", str(args.kills), "--seed", args.seed, "--jobs", str(args.jobs)]
    lanes = [subprocess.Popen([*command, "--lane", str(n)], stdout=subprocess.PIPE, text=True) for n in range(args.jobs)]
    passed = failed = 0
    for lane in lanes:
        out = lane.communicate()[0].splitlines()
        counts = out[-1].split() if out else []
        print("\n".join(out[:-1]), flush=True)
        if len(counts) == 4 and counts[1] == "passed,":
            passed += int(counts[0])
            failed += int(counts[2])
        else:
            failed += 1
            print("not ok a lane ended without a count:", *out[-1:])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
