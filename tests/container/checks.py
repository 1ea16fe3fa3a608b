"""What is checked of a server on the container tier. Each check gets a running server and returns what is wrong, or
nothing. `Place.look` runs a command where the server is, as its user."""
import time

from probes import PRELUDE, REFUSED, WORKS

SECRET = "secret-4711"
MARK = "runner-probe"  # the name of processes that must not stay


def probe(server, program):
    text, outcome = server.run(PRELUDE + program)
    return "" if "\nOK" in text and "WRONG" not in text else text[-800:] or str(outcome)


def other_run(server, place):
    """A run that knows nothing but what it can find out about the one beside it."""
    code = f"import os, time\nos.environ['S'] = '{SECRET}'\nopen('{SECRET}', 'w').write('{SECRET}')\nopen('/dev/shm/{SECRET}', 'w').close()\n" \
           "time.sleep(2)"
    first = server.start(code)
    time.sleep(.5)  # it is under way: its own word would come only at its end
    look = PRELUDE + r'''
wrong = []
others = [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) not in (1, os.getpid(), *OURS)]
def owner(pid):
    try:
        return int(status(pid)["Uid"].split()[0])
    except FileNotFoundError:
        return -1
def said(path):  # of a process that has ended there is an empty file
    with open(path) as f:
        return f.read() or os.stat("/nothing")
peers = [p for p in others if owner(p) == os.getuid()]
for p in peers:
    for n in ("environ", "mem", "maps", "cwd", "fd", "root", "exe"):
        if error(os.readlink, f"/proc/{p}/{n}") == "done" or (n in ("environ", "maps") and error(said, f"/proc/{p}/{n}") == "done"):
            wrong.append((p, n))
    if SCOPED and error(os.kill, p, 0) == "done":
        wrong.append((p, "signalled"))
for d in ("../..", "/dev/shm", "/tmp"):
    if error(os.listdir, d) == "done":
        wrong.append(d)
verdict(wrong if peers else ["saw no other run"])
'''.replace("SCOPED", str(place.scoped))
    text, _ = server.run(look)
    server.finish(first)
    return "" if "\nOK" in text else text[-800:]


def nothing_left(server, place):
    """Files, shared memory and daemons of a run are gone when the next one looks."""
    code = PRELUDE + r'''
os.makedirs("/dev/shm/runner-left/a/b"); open("/dev/shm/runner-left/a/b/c", "w").close(); open("/dev/shm/runner-left-2", "w").close()
os.mkdir("d"); os.chmod("d", 0); libc.prctl(15, MARK.encode())
if os.fork() == 0:
    os.setsid()
    for i in range(8):
        if os.fork() == 0:
            os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN)
            for f in (0, 1, 2): os.close(f)
            open("/dev/shm/runner-alive", "a").write(f"{os.getpid()}\n")
            time.sleep(60)
    os._exit(0)
while not os.path.exists("/dev/shm/runner-alive") or len(open("/dev/shm/runner-alive").read().split()) < 8: time.sleep(.01)
print(os.path.dirname(os.getcwd()))'''
    text, outcome = server.run(f"MARK = {MARK!r}\n" + code)
    if outcome.get("exit_code") != 0:
        return text[-500:]
    directory = next(line for line in text.splitlines() if line.startswith("/"))
    look = f"import os\nprint([p for p in ({directory!r}, '/dev/shm/runner-left', '/dev/shm/runner-left-2', '/dev/shm/runner-alive') if os.path.lexists(p)])"
    text, _ = server.run(look)
    alive = place.processes(MARK)
    if "[]" not in text or alive:
        return f"{text[-400:]} and {alive} processes"
    code = "import os\nprint('OK' if not os.path.exists('/dev/shm/runner-left') else 'WRONG')\nopen('/dev/shm/runner-left', 'w').close()"
    return "".join(text[-200:] for text, _ in (server.run(code) for _ in range(40)) if "OK" not in text)


def foreign_shm(server, place):
    """What was in /dev/shm before, or belongs to a program that is no run, stays."""
    other = place.other_program("touch /dev/shm/runner-foreign; exec cat")
    try:
        deadline = time.monotonic() + 5
        while "yes" not in place.look("test -e /dev/shm/runner-foreign && echo yes") and time.monotonic() < deadline:
            time.sleep(.02)
        server.run("open('/dev/shm/runner-ours', 'w').close()")
        return "" if "yes" in place.look("test -e /dev/shm/runner-foreign && echo yes") else "another program's file was removed"
    finally:
        other.kill()
        other.wait()
        place.look("rm -f /dev/shm/runner-foreign /dev/shm/runner-ours")


def modes_of_parents(server, place):
    """A program that takes its own directories' modes away hurts nobody else."""
    server.run("import os\nfor p in ('..', '../..', '/tmp', '/dev/shm'):\n  try: os.chmod(p, 0)\n  except OSError: pass")
    return probe(server, "verdict([])")


def bombs(server, place):
    """Fork bombs with sessions of their own end with their run, and the server goes on."""
    bomb = PRELUDE + f"libc.prctl(15, {MARK.encode()!r})\n" + "e = time.time() + 2\nwhile time.time() < e:\n  try:\n    if os.fork() == 0: os.setsid()\n  except OSError: time.sleep(.01)"
    text, outcome = server.run(bomb, 4)
    left = place.processes(MARK)
    return probe(server, "verdict([])") or (f"{left} processes left, {outcome}" if left else "")


def many_threads(server, place):
    """4 x 31 threads are more than --pids-limit=64 has room for: runs fail in their own words or wait, none hangs."""
    return threads(server)


def no_room(server, place):
    """The same where even starting the runs meets the limit."""
    tight = place.tight_server()
    return threads(tight, 24) or ("" if tight.close() == 0 else "status")


def threads(server, n=8):
    code = "import threading, time\nn = 0\ntry:\n  for i in range(31):\n    threading.Thread(target=time.sleep, args=(.5,)).start(); n += 1\nexcept RuntimeError as e: print(e)\nprint('OK', n)"
    runs = [server.start(code) for _ in range(n)]
    wrong = [text[-300:] for text, outcome in map(server.finish, runs) if "OK" not in text]
    return "; ".join(wrong)


def names(server, place):
    """getpass and pwd know the user where /etc/passwd has an entry, and say so where it has none."""
    entry = "[] if pwd.getpwuid(os.getuid()).pw_name == getpass.getuser() else [getpass.getuser()]"
    none = "[] if 'not found' in str(missing) else ['an entry']"
    look = "import getpass, pwd\nmissing = None\ntry: pwd.getpwuid(os.getuid())\nexcept KeyError as e: missing = e\n"
    return probe(server, look + f"verdict({entry if place.name_in_passwd else none})")


def all_checks(place):
    for name, program in REFUSED + WORKS:
        yield name, (lambda server, place, program=program: probe(server, program))
    for check in (other_run, nothing_left, foreign_shm, modes_of_parents, names, many_threads, bombs):
        if check is not foreign_shm or place.other_program:  # a container made by hand has no way in
            yield check.__name__.replace("_", " "), check
    if hasattr(place, "tight_server"):
        yield "no room", no_room
