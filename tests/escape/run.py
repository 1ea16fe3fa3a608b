#!/usr/bin/python3
"""Runs the escape table (table.py) against the server, as root and as an ordinary user; as the latter only where we are
one. Last line `N passed, N failed`.

    run.py [-k TEXT]... [-v] [root|user]...

A test is a row for one kind of user. What it needs of the host and does not find is named as `left out` and not counted.
"""
import argparse
import ast
import collections
import ctypes
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "lib"), HERE]

import mcp
import table

with open(os.path.join(HERE, "inside.py"), encoding="utf-8") as f:
    INSIDE = f.read()
PYTHON = "/usr/bin/python3.11" if os.path.exists("/usr/bin/python3.11") else mcp.PYTHON
ORDINARY = 65534
GROUPS = [4, 24]  # any that are not the user's own: a run has to lose them
CHUNK = 24  # calls that wait at the same time

# What a process of this user without capabilities can do on the host: one line of JSON in, one out.
LOOK = """
import ctypes, errno, json, os, sys
def opens(p, flags):
    try: os.close(os.open(p, flags | os.O_NONBLOCK))
    except OSError: return False
    return True
def reads(p):
    try: return bool(open(p, 'rb').read(64))
    except OSError: return False
def lists(p):
    try: return bool(os.listdir(p))
    except OSError: return False
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(text):
    name, nr, *args = json.loads(text)
    if os.fork() == 0:  # whatever it does, it does to a child
        libc.prctl(38, 1, 0, 0, 0)  # no_new_privs, as in a run
        ctypes.set_errno(0)
        libc.syscall(ctypes.c_long(nr), *[ctypes.c_long(a) if isinstance(a, int) else a.encode() for a in args])
        os._exit(ctypes.get_errno())
    return 'open' if os.waitstatus_to_exitcode(os.wait()[1]) not in (errno.EPERM, errno.ENOSYS, errno.EACCES) else 'refused'
LOOKS = {'call': call, 'opens': lambda p: 'open' if opens(p, os.O_RDONLY) else 'refused', 'file': reads, 'dir': lists, 'device': lambda p: opens(p, os.O_RDWR),
         'there': lambda p: 'open' if opens(p, os.O_WRONLY) else os.path.exists(p)}
needs = json.load(sys.stdin)
print(json.dumps({n: LOOKS[n.split()[0]](n.split(' ', 1)[1]) for n in needs}))
"""


def landlock_abi():
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, libc.syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint(1)))


def as_user(argv, uid, caps):
    """The command as that user. Our root's capabilities: kept or dropped."""
    if os.geteuid() != 0:
        return argv
    drop = [] if caps else ["--inh-caps=-all", "--bounding-set=-all"]
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", f"--groups={','.join(map(str, GROUPS))}", *drop, *argv]


class Host:
    """Things of the host that a probe goes for, of this test's own making, and facts about the host."""

    def __init__(self, uid):
        self.uid = uid
        self.closing = []
        self.folder = tempfile.mkdtemp(prefix="runner-escape-")
        os.chmod(self.folder, 0o755)
        self.facts = {"token": secrets.token_hex(8), "key": 0x5eed0000 + secrets.randbelow(0xffff), "hostname": socket.gethostname()}
        self.make_files()
        self.make_listeners()
        self.make_server()
        self.victim = subprocess.Popen(as_user(["/bin/sleep", "600"], uid, False), stdin=subprocess.DEVNULL, start_new_session=True, cwd="/")
        self.facts["victim"] = self.victim.pid

    def path(self, name, text=None, mode=0o644):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w") as f:
                f.write(text)
            os.chmod(path, mode)
        return path

    def directory(self, name, mode=0o755, own=True):
        path = self.path(name)
        os.mkdir(path)
        os.chmod(path, mode)
        if own and os.geteuid() == 0:
            os.chown(path, self.uid, self.uid)
        return path

    def make_files(self):
        f = self.facts
        f["home"] = self.directory("home")
        f["scratch"] = self.directory("scratch", 0o777)
        self.tmp = self.directory("tmp", 0o700)
        self.path("home/.netrc", "password")
        f["secret"] = self.path("secret", "secret")
        f["scratch_file"] = self.path("scratch/file", "text", 0o666)
        f["movable"] = self.path("scratch/movable", "text", 0o666)
        f["owned"] = self.path("owned", "text")
        if os.geteuid() == 0:
            for path in (f["owned"], f["movable"], f["scratch_file"], f["home"] + "/.netrc"):
                os.chown(path, self.uid, self.uid)
        with open("/etc/passwd") as accounts:
            f["account"] = next((line.split(":")[0] + ":" for line in accounts if line.split(":")[0] not in ("root", "runner", "nobody")), None)

    def make_listeners(self):
        f = self.facts

        def listener(family, address):
            s = socket.socket(family)
            self.closing.append(s)
            s.bind(address)
            s.listen(64)
            return s.getsockname()

        f["tcp"] = listener(socket.AF_INET, ("127.0.0.1", 0))[1]
        try:
            f["tcp6"] = listener(socket.AF_INET6, ("::1", 0))[1]
        except OSError:
            f["tcp6"] = None
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            try:
                s.connect(("192.0.2.1", 9))  # sends nothing
                f["address"], f["route"] = s.getsockname()[0], True
                f["tcp_any"] = listener(socket.AF_INET, (f["address"], 0))[1]
            except OSError:
                f["address"] = f["route"] = None
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            f["run_tcp"] = s.getsockname()[1]
        f["abstract"], f["abstract_datagram"] = "escape-" + f["token"], "escape-datagram-" + f["token"]
        listener(socket.AF_UNIX, "\0" + f["abstract"])
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind("\0" + f["abstract_datagram"])
        self.closing.append(s)
        f["unix"] = listener(socket.AF_UNIX, self.path("socket"))
        os.chmod(f["unix"], 0o777)
        echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        echo.bind(("127.0.0.1", 0))
        f["udp"] = echo.getsockname()[1]
        self.closing.append(echo)
        threading.Thread(target=self.echo, args=(echo,), daemon=True).start()

    @staticmethod
    def echo(s):
        try:
            while True:
                data, peer = s.recvfrom(64)
                s.sendto(data, peer)
        except OSError:
            pass

    def make_server(self):
        """The server where that user can read it, and an interpreter that this user owns."""
        build = os.path.dirname(mcp.SERVER)
        os.makedirs(self.path("server/src/template"))
        self.facts["server"] = shutil.copy2(mcp.SERVER, self.path("server"))
        for name in os.listdir(os.path.join(build, "src", "template")):
            if name == "main.py" or name.endswith(".so"):
                shutil.copy2(os.path.join(build, "src", "template", name), self.path("server/src/template"))
        subprocess.run(["chmod", "-R", "a+rX", self.path("server")], check=True)
        venv = self.facts["venv"] = self.directory("venv")
        subprocess.run(as_user([PYTHON, "-m", "venv", "--copies", "--without-pip", venv], self.uid, True), check=True, cwd="/",
                       env={"PATH": "/usr/bin:/bin", "HOME": self.facts["home"]})
        self.python = os.path.join(venv, "bin", "python3")
        libraries = subprocess.run(["ldd", "/usr/bin/id"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"(/\S+/libc\.so\.6)", libraries)
        self.facts["library"] = found and found[1]
        if os.geteuid() == 0 and os.path.exists("/usr/bin/id"):
            self.facts["suid"] = shutil.copy("/usr/bin/id", os.path.join(venv, "bin", "whoami-suid"))
            os.chmod(self.facts["suid"], 0o4755)

    def look(self, needs):
        """{need: what of it there is}"""
        numbers = {name: nr for name, nr, _ in table.syscalls()}

        def spelled(need):
            kind, name = need.split(" ", 1)
            args = [a.decode() if isinstance(a, bytes) else a for a in table.arguments(name)] if kind == "call" else ()
            return f"call {json.dumps([name, numbers[name], *args])}" if kind == "call" else need

        spellings = {need: spelled(need) for need in needs if need and " " in need}
        asked = sorted(spellings.values())
        p = subprocess.run(as_user([PYTHON, "-I", "-c", LOOK], self.uid, False), input=json.dumps(asked), capture_output=True, text=True, check=True, cwd="/")
        answers = json.loads(p.stdout)
        found = {need: answers[spelling] for need, spelling in spellings.items()}
        found["ia32"] = os.path.exists("/proc/sys/abi/vsyscall32")
        with open("/proc/self/cgroup") as f:
            found["cgroup"] = any(line.strip().split(":", 2)[2] != "/" for line in f)
        scope = "/proc/sys/kernel/yama/ptrace_scope"
        found["attach"] = not os.path.exists(scope) or open(scope).read().strip() == "0"
        found.update(scopes=landlock_abi() >= 6, userns=True, victim_readable=True, interfaces=len(socket.if_nameindex()) > 1,
                     tmp_suid=not os.statvfs(self.folder).f_flag & os.ST_NOSUID)
        for name, value in self.facts.items():
            found.setdefault(name, value)
        return found

    def close(self):
        self.victim.kill()
        self.victim.wait()
        for s in self.closing:
            s.close()
        for remove in ("-M", "-Q", "-S"):
            subprocess.run(["ipcrm", remove, hex(self.facts["key"])], capture_output=True, check=False)
        libc = ctypes.CDLL(None)
        libc.syscall(dict((n, nr) for n, nr, _ in table.syscalls())["mq_unlink"], self.facts["token"].encode())
        shm = "/dev/shm/escape-" + self.facts["token"]
        if os.path.exists(shm):
            os.unlink(shm)
        shutil.rmtree(self.folder, ignore_errors=True)


class Server:
    """A server with these layers off."""

    def __init__(self, host, off, env):
        self.host = host
        variables = {"RUNNER_PYTHON": host.python, "HOME": host.facts["home"], "ESCAPE_CANARY": "canary-" + secrets.token_hex(16), "RUNNER_MAX_QUEUE": "256",
                     "RUNNER_LOG_LEVEL": "ERROR", **env}
        if off:
            variables["RUNNER_TEST_LAYERS_OFF"] = ",".join(sorted(off))
        tmp = os.path.join(host.tmp, "server-" + secrets.token_hex(4))
        os.mkdir(tmp)
        if os.geteuid() == 0:
            os.chown(tmp, host.uid, host.uid)
        self.client = mcp.Client(variables, argv=as_user([host.facts["server"]], host.uid, True), tmp=tmp, cwd="/")

    def code_of(self, text, other=False):
        numbers = {name: nr for name, nr, _ in table.syscalls()}
        text = re.sub(r"@(\w+)@", lambda m: str(numbers[m[1]]), text)
        facts = ascii({name: value for name, value in self.host.facts.items() if f"P['{name}']" in text})
        if other:
            return f"P = {facts}\n{text}\n"
        # Importing is most of what a probe costs.
        imports = {m for m in ("ctypes", "resource", "signal", "socket", "subprocess", "time") if f"{m}." in text}
        imports |= {"ctypes"} if re.search(r"\b(call|reached|user_namespace)\(", text) else set()
        used = {name: nr for name, nr in numbers.items() if f"'{name}'" in text or name == "unshare"}
        body = "\n".join("    " + line for line in text.split("\n"))
        return (INSIDE.replace("# @IMPORTS@", "\n".join(f"import {m}" for m in sorted(imports))).replace("{}  # @FACTS@", facts)
                .replace("{}  # @NUMBERS@", ascii(used)).replace("    pass  # @CODE@", body))

    def start(self, row):
        return self.client.call(self.code_of(row.code))

    def answer(self, i):
        outcome = self.client.outcome(i)
        m = re.search(r"^ANSWER (.*)$", outcome.stdout, re.M)
        if not m:
            return "held", f"no answer: {outcome.text[-600:]}"
        return tuple(ast.literal_eval(m[1]))

    def run_one(self, row):
        if row.before:
            self.client.run(self.code_of(row.before, True))
        other = self.client.start_marked(self.code_of(row.meanwhile, True), "ready") if row.meanwhile else None
        got = self.answer(self.start(row))
        if other is not None:
            self.client.cancel(other)
        return got

    def run(self, rows):
        """{row: (held or out, answer)}"""
        found = {}
        together = [r for r in rows if not r.before and not r.meanwhile]
        for at in range(0, len(together), CHUNK):
            ids = [(r, self.start(r)) for r in together[at:at + CHUNK]]
            for r, i in ids:
                found[r] = self.answer(i)
        for r in rows:
            if r not in found:
                found[r] = self.run_one(r)
        return found

    def close(self):
        self.client.close(check=False)


def plan(rows, kind):
    """{(layers off, settings): [(row, what is expected, why)]}"""
    todo = collections.defaultdict(list)

    def add(off, env, row, expected, why):
        todo[frozenset(off), tuple(sorted(env.items()))].append((row, expected, why))

    for row in rows:
        layers, others = row.layers(kind), row.others(kind)
        add((), row.env, row, row.answer, "with every layer")
        if row.loosened:
            add((), {**row.env, **row.loosened}, row, "out", "with a wider limit")
        if not layers or row.unsafe_off:
            continue
        for layer in layers if len(layers) > 1 else ():
            add((layer,), row.env, row, "held", f"without {layer}")
        add(layers, row.env, row, "held" if others else "out", f"without {', '.join(layers)}")
    return todo


def judge(expected, got):
    what, answer = got
    if expected in ("out", "held"):
        return what == expected and not answer.startswith("no answer")
    return what == "held" and re.fullmatch(expected, answer) is not None


def run_kind(kind, uid, words, verbose):
    host = Host(uid)
    faults = collections.defaultdict(list)
    try:
        rows = [r for r in table.ROWS if kind in r.users and (not words or any(w in r.name for w in words))]
        there = host.look({r.needs for r in rows})
        out = [r.name for r in rows if r.needs and not there.get(r.needs)]
        rows = [r for r in rows if not r.needs or there.get(r.needs)]
        for row in rows:
            if row.needs and there[row.needs] in ("refused", True) and row.needs.split()[0] in ("there", "opens", "call"):
                row.stops[kind].append("permissions")  # or the kernel itself: so it is outside, for a process without capabilities
        if out:
            print(f"left out for {kind}, since this host has nothing of the kind: {', '.join(out)}")
        for (off, env), tasks in sorted(plan(rows, kind).items(), key=lambda t: (len(t[0][0]), sorted(t[0][0]), t[0][1])):
            server = Server(host, off, dict(env))
            try:
                found = server.run([row for row, _, _ in tasks])
            finally:
                server.close()
            for row, expected, why in tasks:
                if verbose:
                    print(f"  {kind}, {row.name}, {why}: {' '.join(found[row])}")
                if not judge(expected, found[row]):
                    faults[row].append(f"{why}: {' '.join(found[row])}; expected: {expected}")
    finally:
        host.close()
    for row in rows:
        print(f"{'not ok' if row in faults else 'ok'} {kind}: {row.name}" + "".join(f"\n    {f}" for f in faults[row]))
    return len(rows) - sum(bool(f) for f in faults.values()), sum(bool(f) for f in faults.values())


def tier(uid):
    """Of the server as that user."""
    folder = tempfile.mkdtemp(prefix="runner-escape-tier-")
    try:
        os.chmod(folder, 0o755)
        os.makedirs(os.path.join(folder, "src", "template"))
        shutil.copy2(mcp.SERVER, folder)
        build = os.path.join(os.path.dirname(mcp.SERVER), "src", "template")
        for name in os.listdir(build):
            if name == "main.py" or name.endswith(".so"):
                shutil.copy2(os.path.join(build, name), os.path.join(folder, "src", "template"))
        p = subprocess.run(as_user([os.path.join(folder, os.path.basename(mcp.SERVER)), "doctor", "--json"], uid, True), capture_output=True, cwd="/",
                           env={"PATH": "/usr/bin:/bin", "HOME": "/", "TMPDIR": "/tmp", "RUNNER_PYTHON": PYTHON}, check=False)
        return json.loads(p.stdout)["sandbox"]["tier"]
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-k", action="append", default=[])
    parser.add_argument("-v", action="store_true")
    parser.add_argument("kinds", nargs="*", default=[])
    a = parser.parse_args()
    passed = failed = 0
    kinds = {"root": 0, "user": ORDINARY} if os.geteuid() == 0 else {"user": os.geteuid()}
    for kind, uid in kinds.items():
        if a.kinds and kind not in a.kinds:
            continue
        found = tier(uid)
        if found != "full":
            print(f"not ok {kind}: the tier here is {found}, not full; python-runner-mcp doctor says why")
            failed += 1
            continue
        p, f = run_kind(kind, uid, a.k, a.v)
        passed, failed = passed + p, failed + f
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
