"""What is measured: processes started for one program, and servers that are asked over standard input and output.

All of them have the same face: run() answers with the raw bytes as soon as the work is done, check() looks at those bytes
later, outside of every measured time, flow() keeps a number of programs in flight, settle() waits until nothing of an earlier
program is going on.
"""
import json
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time

import tree
from work import Work

HERE = os.path.dirname(os.path.abspath(__file__))
OUTCOME = "python-runner/outcome"
READ_SIZE = 1 << 16
PAUSE_SEC = 0.002  # between two looks at a tree; a client that thinks
REST_SEC = 0.1  # a tree that has not changed for so long after its first call is at rest
SETTLE_SEC_MAX = 2.0
NOTHING = Work("nothing", "an empty program", "")
CAT = shutil.which("cat")
NULL = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)


NAMES = {"a": "this server", "b": "bare `python3 -I -S -c`", "c": "asyncio server", "d": "this server, cold mode",
         "e": "bubblewrap + python", "p": "this server, pandas preloaded", "f": "a forked interpreter alone"}


class WrongOutput(Exception):
    pass


def read_all(fd):
    parts = []
    while data := os.read(fd, READ_SIZE):
        parts.append(data)
    os.close(fd)
    return b"".join(parts)


class Process:
    """One process a program. posix_spawn(3) is the cheapest start there is: no copy of this process's page tables.

    Each gets a session of its own, as servers and their programs have: the scheduler shares the processors out by session
    (sched(7), autogroup), and whoever stays in a crowded one is slower as soon as somebody else is busy. It costs 0.02 ms.
    """

    unsettled = 0
    pid = None

    def __init__(self, key, argv, name=None):
        self.key, self.name, self.argv = key, name or NAMES[key], argv
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def start(self):
        pass

    def stop(self):
        pass

    def settle(self):
        """The pause that a server's client makes, and as much looking about: it leaves this processor as awake."""
        for _ in range(2):
            time.sleep(PAUSE_SEC)
            tree.sleeping(os.getpid())
        return True

    def _spawn(self, argv, **ends):
        actions = [(os.POSIX_SPAWN_DUP2, ends.get(name, NULL), fd) for fd, name in enumerate(("stdin", "stdout", "stderr"))]
        return os.posix_spawn(argv[0], argv, self.env, file_actions=actions, setsid=True)

    def _begin(self, work):
        ours, theirs = os.pipe()
        pid = self._spawn([*self.argv, work.code], stdout=theirs, stderr=theirs)
        os.close(theirs)
        return pid, ours

    def run(self, work):
        pid, ours = self._begin(work)
        output = read_all(ours)
        return output, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    first_result = run

    def drain(self, work):
        """`… | cat >/dev/null`, as a shell would run it."""
        ours, theirs = os.pipe()
        pids = [self._spawn([*self.argv, work.code], stdout=theirs), self._spawn([CAT], stdin=ours)]
        os.close(ours)
        os.close(theirs)
        return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]

    def flow(self, work, in_flight, seconds):
        """Programs a second, and the raw answers."""
        poll, running, answers = select.poll(), {}, []

        def begin():
            pid, fd = self._begin(work)
            running[fd] = pid, []
            poll.register(fd, select.POLLIN)

        started = time.perf_counter()
        for _ in range(in_flight):
            begin()
        while running:
            for fd, _ in poll.poll():
                data = os.read(fd, READ_SIZE)
                if data:
                    running[fd][1].append(data)
                    continue
                poll.unregister(fd)
                os.close(fd)
                pid, parts = running.pop(fd)
                answers.append((b"".join(parts), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
                if time.perf_counter() - started < seconds:
                    begin()
        return len(answers) / (time.perf_counter() - started), answers

    def check(self, work, answer):
        output, exit_code = answer
        text = output.decode()
        if exit_code != work.exit_code or (text != work.says and not work.stderr_ends) or not text.endswith(work.stderr_ends):
            raise WrongOutput(f"{self.name}: {work.title}: exit code {exit_code}, output {text[:500]!r}")

    def check_drained(self, work, exit_codes):
        if exit_codes != [0, 0]:
            raise WrongOutput(f"{self.name}: {work.title}: the two processes of the pipeline ended with {exit_codes}")


class Forked:
    """The floor (floor.py): one interpreter that waits, forked beforehand; one program at a time."""

    key, name, unsettled = "f", NAMES["f"], 0

    def __init__(self, python):
        self.argv = [python, "-I", "-S", os.path.join(HERE, "floor.py")]

    def start(self):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.output, written = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, fd, to) for to, fd in ((0, NULL), (1, written), (2, NULL), (3, theirs.fileno()))]
        self.pid = os.posix_spawn(self.argv[0], self.argv, {"PATH": os.defpath, "LANG": "C.UTF-8"}, file_actions=actions, setsid=True)
        theirs.close()
        os.close(written)
        os.set_blocking(self.output, False)
        self.ready = False

    def stop(self):
        self.socket.close()
        os.close(self.output)
        os.waitpid(self.pid, 0)

    def _prepare(self):
        self.socket.send(b"f")
        if self.socket.recv(1) != b"w":
            raise WrongOutput(f"{self.name}: it did not fork")
        self.ready = True

    def settle(self):
        if not self.ready:
            self._prepare()
        for _ in range(2):
            time.sleep(PAUSE_SEC)
            tree.sleeping(self.pid)
        return True

    def run(self, work):
        if not self.ready:
            self._prepare()
        self.ready = False
        self.socket.send(work.code.encode() or b"\n")
        self.socket.recv(1)
        try:
            return os.read(self.output, READ_SIZE)
        except BlockingIOError:
            return b""

    def check(self, work, answer):
        if answer.decode() != work.says:
            raise WrongOutput(f"{self.name}: {work.title}: output {answer[:500]!r}")


class Server:
    """A server and the smallest client: bytes that were made beforehand out, one line in."""

    def __init__(self, key, argv, python, settings=None, name=None):
        self.key, self.name, self.argv = key, name or NAMES[key], argv
        self.settings = {"RUNNER_PYTHON": python, **(settings or {})}
        self.process = None
        self.unsettled = 0

    def _launch(self):
        self.folder = tempfile.mkdtemp(prefix="bench-")
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", "/"), "TMPDIR": self.folder,
               **self.settings}
        # Its log goes where most clients let it go. close_fds=False: vfork(2), and all of ours are close-on-exec.
        self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=env, close_fds=False, bufsize=0, start_new_session=True)
        self.pid = self.process.pid
        self.to, self.back = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.ids = 0
        self.requests = {}
        self.hello = self._ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                              "clientInfo": {"name": "bench", "version": "1"}})["result"]
        os.write(self.to, b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def start(self):
        self._launch()
        self.check(NOTHING, self.run(NOTHING))
        self.at_rest = self._rest()

    def stop(self):
        if not self.process:
            return
        self.process.stdin.close()
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process.stdout.close()
        self.process = None
        shutil.rmtree(self.folder, ignore_errors=True)
        if code != 0:
            raise WrongOutput(f"{self.name}: the server ended with {code} after its input had ended")

    def _line(self):
        data = os.read(self.back, READ_SIZE)
        if data[-1:] == b"\n":
            return data
        parts = [data]
        while data[-1:] != b"\n":
            data = os.read(self.back, READ_SIZE)
            if not data:
                raise self._gone()
            parts.append(data)
        return b"".join(parts)

    def _gone(self):
        code, settings = self.process.wait(), " ".join(f"{k}={v}" for k, v in self.settings.items())
        return WrongOutput(f"{self.name}: the server ended with {code} instead of an answer; started as {settings} "
                           f"{' '.join(self.argv)}")

    def _ask(self, method, params):
        self.ids += 1
        request = {"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params}
        os.write(self.to, json.dumps(request).encode() + b"\n")
        return json.loads(self._line())

    def _request(self, work):
        """What stands around the id."""
        found = self.requests.get(work.code)
        if found is None:
            arguments = {"code": work.code, "timeout": 60}
            params = json.dumps({"name": "run_python", "arguments": arguments}, separators=(",", ":"))
            after = f',"method":"tools/call","params":{params}}}\n'
            found = self.requests[work.code] = (b'{"jsonrpc":"2.0","id":', after.encode())
        return found

    def run(self, work):
        self.ids += 1
        before, after = self._request(work)
        os.write(self.to, b"%b%d%b" % (before, self.ids, after))
        return self._line()

    drain = run

    def flow(self, work, in_flight, seconds, calls=None):
        """Programs a second, and the raw answers. With `calls`, so many of them instead of so many seconds."""
        before, after = self._request(work)
        parts, sent, done = [], 0, 0

        def send(n):
            nonlocal sent
            os.write(self.to, b"".join(b"%b%d%b" % (before, self.ids + i, after) for i in range(1, n + 1)))
            self.ids += n
            sent += n

        started = time.perf_counter()
        send(in_flight if calls is None else min(in_flight, calls))
        while done < sent:
            data = os.read(self.back, READ_SIZE)
            if not data:
                raise self._gone()
            n = data.count(b"\n")
            parts.append(data)
            done += n
            more = n if time.perf_counter() - started < seconds else 0
            if calls is not None:
                more = min(n, calls - sent)
            if more:
                send(more)
        rate = done / (time.perf_counter() - started)
        return rate, b"".join(parts).split(b"\n")[:-1]

    def first_result(self, work):
        """The answer of a server that is not started yet."""
        self._launch()
        return self.run(work)

    def _rest(self):
        """The number of processes once nothing has changed for a while."""
        last, since, end = None, time.monotonic(), time.monotonic() + 20
        while time.monotonic() - since < REST_SEC:
            now = tree.sleeping(self.pid)
            if now is None or now != last:
                last, since = now, time.monotonic()
            if time.monotonic() > end:
                raise WrongOutput(f"{self.name}: its processes do not come to rest: {[self.pid, *tree.descendants(self.pid)]}")
            time.sleep(PAUSE_SEC)
        return len(last)

    def settle(self):
        """Waits until as many processes as at rest are there and two looks in a row find the same ones, all asleep."""
        end = time.monotonic() + SETTLE_SEC_MAX
        last = None
        while True:
            time.sleep(PAUSE_SEC)
            now = tree.sleeping(self.pid)
            if now is not None and now == last and len(now) >= self.at_rest:
                return True
            last = now
            if time.monotonic() > end:
                self.unsettled += 1
                return False

    def outcome(self, answer):
        result = json.loads(answer).get("result")
        if not result or result.get("isError"):
            raise WrongOutput(f"{self.name}: {answer[:500]!r}")
        return result["content"][0]["text"], result["_meta"][OUTCOME]

    def check(self, work, answer):
        text, outcome = self.outcome(answer)
        # Text that was too long to be kept whole is known by its length.
        right = (outcome["exit_code"] == work.exit_code and outcome["stdout"]["bytes"] == work.stdout_bytes
                 and (not work.says or f"--- stdout ---\n{work.says}\n" in text)
                 and (not work.stderr_ends or f"{work.stderr_ends}\n--- exit_code: " in text))
        if not right:
            raise WrongOutput(f"{self.name}: {work.title}: {outcome}, {text[:500]!r}")

    check_drained = check


class Echo(Server):
    """cat(1) in a server's place: what is left is the client itself, the pipes and two changes of process."""

    def start(self):
        self.process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False, bufsize=0)
        self.pid = self.process.pid
        self.to, self.back = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.ids, self.requests, self.at_rest, self.folder = 0, {}, 1, ""

    def check(self, work, answer):
        if json.loads(answer)["params"]["arguments"]["code"] != work.code:
            raise WrongOutput(f"cat(1) said {answer[:200]!r}")


def bubblewrap_argv(python):
    """None where it is not installed; otherwise what runs `python -I -S -c` with everything unshared."""
    program = shutil.which("bwrap")
    if not program:
        return None
    argv = [program, "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev",
            "--tmpfs", "/tmp"]
    for name in ("bin", "lib", "lib64", "sbin"):
        if os.path.islink(f"/{name}"):
            argv += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
        elif os.path.isdir(f"/{name}"):
            argv += ["--ro-bind", f"/{name}", f"/{name}"]
    return [*argv, python, "-I", "-S", "-c"]


def variables_of(server):
    """The text of --help: whether a variable is known to this build."""
    return subprocess.run([server, "--help"], capture_output=True, text=True, check=True).stdout


def all_subjects(server, python):
    """({key: subject}, {key: why it is not there})"""
    ours, missing = [server], {}
    found = [Server("a", ours, python),
             Process("b", [python, "-I", "-S", "-c"]),
             Server("c", [python, "-I", "-S", os.path.join(HERE, "asyncio_server.py")], python),
             Server("d", ours, python, {"RUNNER_WARM_WORKERS": "0"}),
             Forked(python)]
    argv = bubblewrap_argv(python)
    if not argv:
        missing["e"] = "bubblewrap is not installed (Debian: bubblewrap)"
    elif subprocess.run([*argv, "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        missing["e"] = "bubblewrap can't make its namespaces here"
    else:
        found.append(Process("e", argv))
    lacking = [name for name in ("RUNNER_PRELOAD", "RUNNER_SITE_PACKAGES") if name not in variables_of(server)]
    if lacking:
        missing["p"] = f"this server does not know {' and '.join(lacking)}"
    else:
        found.append(Server("p", ours, python, {"RUNNER_PRELOAD": "pandas", "RUNNER_SITE_PACKAGES": "true"}))
    return {s.key: s for s in found}, missing
