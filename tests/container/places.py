"""Where the checks run: as an ordinary user, in containers of a real engine, in a container made by hand.

Workshop is a directory of its own with a copy of the server that everybody can read; all that is made lies in it and is
gone at the end, the engine included. Each place has a user of its own, so that its processes can be counted.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import io

from client import Server

UID = {"user": 61302, "old": 61303, "docker": 61304, "profile": 61305, "byhand": 61306, "image": 10001}
FLAGS = ["--network=none", "--read-only", "--tmpfs", "/tmp:size=64m,mode=1777", "--security-opt", "no-new-privileges:true", "--cap-drop=ALL",
         "--memory=512m", "--cpus=1.0", "--pids-limit=64"]  # those of the README
FULL_TIER = ["--security-opt", "systempaths=unconfined"]
IMAGE = "runner-test-base"
PYTHON = os.path.realpath("/usr/bin/python3")
TOOLS = ["/bin/sh", "/bin/sleep", "/bin/cat", "/bin/rm", "/usr/bin/touch"]


def command(argv, **more):
    return subprocess.run(argv, capture_output=True, text=True, **more)


class Workshop:
    def __init__(self, server):
        self.built = server.parent
        self.name = server.name

    def __enter__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="runner-container-"))
        self.dir.chmod(0o755)
        self.programs = self.dir / "programs"
        (self.programs / "src/template").mkdir(parents=True)
        shutil.copy(self.built / self.name, self.programs)
        for part in ["main.py", *[p.name for p in (self.built / "src/template").glob("*.so")]]:
            shutil.copy(self.built / "src/template" / part, self.programs / "src/template")
        self.server = str(self.programs / self.name)
        self.ends = []
        return self

    def __exit__(self, *_):
        for end in self.ends:
            end()
        shutil.rmtree(self.dir, ignore_errors=True)


class Place:
    tier, scoped, patience_s = "container", True, 2.0
    name_in_passwd = False

    def __init__(self, shop, name):
        self.shop, self.name, self.uid = shop, name, UID[name]

    def server(self):
        return Server(self.argv([self.program()]), self.env())

    def doctor(self):
        p = command(self.argv([self.program(), "doctor"]), env=self.env())
        return p.stdout + p.stderr

    def processes(self, name):
        """Those of this place's user with that name, once that has settled: within a second, says the design."""
        deadline = time.monotonic() + 1
        while True:
            lines = command(["ps", "-u", str(self.uid), "-o", "stat=,comm="]).stdout.splitlines()
            left = [x for x in lines if not x.startswith("Z") and x.split()[-1] == name]
            if not left or time.monotonic() > deadline:
                return len(left)
            time.sleep(.02)

    def look(self, script):
        return command(self.inside(["sh", "-c", script])).stdout


class OtherProgram:
    """Runs until it is killed, or its input ends with us."""

    def __init__(self, argv):
        self.proc = subprocess.Popen(argv, stdin=subprocess.PIPE)

    def kill(self):
        self.proc.stdin.close()

    def wait(self):
        self.proc.wait(10)


class User(Place):
    def __init__(self, shop, name):
        super().__init__(shop, name)
        self.scoped = name != "old"
        if os.geteuid() != 0:
            self.uid = os.geteuid()
        self.home = shop.dir / f"home-{name}"
        self.home.mkdir()
        os.chown(self.home, self.uid, -1)

    def program(self):
        return self.shop.server

    def env(self):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "USER": "runner", "LOGNAME": "runner", "TMPDIR": "/tmp",
               "RUNNER_PYTHON": PYTHON, "RUNNER_TEST_LAYERS_OFF": "namespaces"}
        return {**env, "RUNNER_TEST_LANDLOCK_ABI": "4"} if self.name == "old" else env

    def inside(self, argv):
        if os.geteuid() != 0:
            return argv
        return ["setpriv", "--reuid", str(self.uid), "--regid", str(self.uid), "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", *argv]

    argv = inside

    def other_program(self, script):
        return OtherProgram(self.inside(["sh", "-c", script]))


class Docker(Place):
    def __init__(self, shop, engine, name):
        super().__init__(shop, name)
        self.engine = engine
        self.tier = "full" if name == "profile" else "container"
        self.n = 0
        self.patience_s = 5.0  # the engine takes its time to take the container down
        self.name_in_passwd = name == "docker"

    def program(self):
        return f"/opt/runner/{self.shop.name}"

    def env(self):
        return None

    def argv(self, argv):
        self.n += 1
        self.container = f"runner-{self.name}-{self.n}"
        profile = pathlib.Path(__file__).resolve().parent.parent.parent / "deploy/seccomp/python-runner-mcp.json"
        more = ["--security-opt", f"seccomp={profile}", *FULL_TIER] if self.tier == "full" else []
        return self.engine.argv("run", "-i", "--rm", "--name", self.container, *FLAGS, *more, "-v", f"{self.shop.programs}:/opt/runner:ro",
                                "-u", f"{self.uid}:{self.uid}", IMAGE, *argv)

    def tight_server(self):
        container, self.container = self.container, f"runner-{self.name}-tight"
        argv = self.argv([self.program()])
        self.container = container
        return Server([x if not x.startswith("--pids-limit") else "--pids-limit=30" for x in argv])

    def inside(self, argv):
        return self.engine.argv("exec", "-i", "-u", f"{self.uid}:{self.uid}", self.container, *argv)

    def other_program(self, script):
        return OtherProgram(self.inside(["sh", "-c", script]))


class ByHand(User):
    """Mount, pid, network and ipc namespaces made by root, a read-only root, and then no privilege to make any."""

    def __init__(self, shop):
        super().__init__(shop, "byhand")
        self.script = shop.dir / "restrict.sh"
        self.script.write_text(
            "mount --make-rprivate / && mount -t proc -o nosuid,nodev,noexec proc /proc &&\n"
            "mount -t tmpfs -o size=64m,mode=1777,nosuid,nodev tmpfs /dev/shm &&\n"
            f"mount --bind {shop.programs} /mnt && mount -t tmpfs -o size=64m,mode=1777,nosuid,nodev tmpfs /tmp &&\n"
            "mount -o remount,bind,ro / &&\n"
            f'exec setpriv --reuid {self.uid} --regid {self.uid} --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs "$@"\n')

    def program(self):
        return f"/mnt/{self.shop.name}"

    def argv(self, argv):
        return ["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child", "sh", str(self.script), *argv]

    other_program = None  # nobody gets in

    def look(self, script):
        raise NotImplementedError


# --- a real engine


class Engine:
    """In a directory of its own; data: where images are kept, if that is to outlive it."""

    def __init__(self, shop, data=None):
        self.dir = shop.dir / "engine"
        self.dir.mkdir()
        self.socket = self.dir / "socket"
        self.log = self.dir / "log"
        with open(self.log, "w") as log:
            self.proc = subprocess.Popen(["dockerd", "--iptables=false", "--bridge=none", "--data-root", str(data or self.dir / "data"),
                                          "--exec-root", str(self.dir / "exec"), "-H", f"unix://{self.socket}", "--pidfile", str(self.dir / "pid")],
                                         stdout=log, stderr=log)

    def argv(self, *argv):
        return ["docker", "-H", f"unix://{self.socket}", *argv]

    def is_up(self, timeout_s):
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline and self.proc.poll() is None:
            if command(self.argv("version")).returncode == 0:
                return True
            time.sleep(.1)
        return False

    def version(self):
        return command(self.argv("version", "--format", "{{.Server.Version}}, kernel {{.Server.KernelVersion}}")).stdout.strip()

    def complaint(self):
        lines = self.log.read_text().splitlines()
        return next((x for x in reversed(lines) if "failed" in x or "rror" in x), lines[-1] if lines else "it said nothing")

    def stop(self):
        self.proc.terminate()
        try:
            self.proc.wait(20)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()


def engine(shop):
    """(a running engine with the base image, "") or (None, why not)"""
    e, why = started_engine(shop)
    if not e:
        return None, why
    image = command(e.argv("import", str(base_image(shop)), IMAGE))
    if image.returncode:
        return None, "the base image can't be imported: " + image.stderr
    p = command(e.argv("run", "--rm", "--network=none", IMAGE, "/bin/sh", "-c", "exit 7"))
    return (e, "") if p.returncode == 7 else (None, "no container starts here: " + p.stderr.strip())


def started_engine(shop, data=None):
    """(a running engine, "") or (None, why not)"""
    if os.geteuid() != 0:
        return None, "an engine is started by root"
    if not shutil.which("dockerd") and shutil.which("apt-get"):
        command(["apt-get", "install", "-q", "-y", "--no-install-recommends", "docker.io"], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if not shutil.which("dockerd"):
        return None, "there is no dockerd, and `apt-get install docker.io` brought none"
    e = Engine(shop, data)
    shop.ends.append(e.stop)
    return (e, "") if e.is_up(30) else (None, "dockerd does not start here: " + e.complaint())


def libraries(files):
    found = set()
    for line in command(["ldd", *files]).stdout.splitlines():
        m = re.search(r"(/\S+)(?: \(0x|$)", line)
        if m and os.path.exists(m.group(1)) and not line.endswith(":"):
            found.add(m.group(1))
    return found


def base_image(shop):
    """An image of no more than an interpreter, a shell and a few tools: this machine's own. A registry is not needed."""
    stdlib = command([PYTHON, "-I", "-S", "-c", "import os; print(os.path.dirname(os.__file__))"]).stdout.strip()
    extensions = [str(p) for p in pathlib.Path(stdlib, "lib-dynload").glob("*.so")]
    programs = [str(p) for p in [shop.programs / shop.name, *(shop.programs / "src/template").glob("*.so")]]
    files = {PYTHON, *TOOLS, *libraries([PYTHON, *TOOLS, *extensions, *programs])}
    merged = [d for d in ("bin", "lib", "lib64") if os.path.islink("/" + d)]
    path = shop.dir / "image.tar"
    with tarfile.open(path, "w", dereference=True) as tar:
        for d in ("usr", "etc", "tmp", "proc", "sys", "dev", "opt/runner"):
            entry = tarfile.TarInfo(d)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if d == "tmp" else 0o755  # the tmpfs there takes it over
            tar.addfile(entry)
        for d in merged:
            entry = tarfile.TarInfo(d)
            entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink("/" + d)
            tar.addfile(entry)
        for f in sorted(files):
            tar.add(f, arcname=("usr" + f if f.split("/")[1] in merged else f[1:]))
        skipped = re.compile(r"/(test|tests|idlelib|turtledemo|lib2to3|ensurepip|dist-packages)$")
        tar.add(stdlib, arcname=stdlib[1:], filter=lambda t: None if skipped.search("/" + t.name) else t)
        passwd = b"root:x:0:0:root:/:/bin/sh\nrunner:x:%d:%d::/tmp:/bin/sh\n" % (UID["docker"], UID["docker"])
        for name, text in (("etc/passwd", passwd), ("etc/group", b"root:x:0:\nrunner:x:%d:\n" % UID["docker"])):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(text), 0o644
            tar.addfile(entry, io.BytesIO(text))
        link = tarfile.TarInfo("usr/bin/python3")
        link.type, link.linkname = tarfile.SYMTYPE, PYTHON
        if PYTHON != "/usr/bin/python3":
            tar.addfile(link)
    return path


# --- the profile for AppArmor


def apparmor_syntax(path):
    """What is wrong with it. Parsers before 4.0 know no `userns`, so they are given the rest, under their own abi."""
    if not shutil.which("apparmor_parser") and os.geteuid() == 0 and shutil.which("apt-get"):
        command(["apt-get", "install", "-q", "-y", "--no-install-recommends", "apparmor"], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if not shutil.which("apparmor_parser"):
        return "there is no apparmor_parser (Debian's package apparmor)"
    text = path.read_text()
    for need in ("abi <abi/4.0>,", "\n  userns,\n", "flags=(unconfined)"):
        if need not in text:
            return f"no {need!r}"
    major = int(re.search(r"version (\d+)", command(["apparmor_parser", "--version"]).stdout).group(1))
    if major < 4:
        print(f"apparmor_parser {major}.x knows no `userns`: the rest of the profile is parsed, with abi/3.0")
        text = text.replace("abi/4.0", "abi/3.0").replace("  userns,\n", "")
    p = command(["apparmor_parser", "--skip-kernel-load", "--skip-cache", "/dev/stdin"], input=text)
    return p.stderr if p.returncode else ""
