"""What is checked of docker-compose.yml, deploy/kubernetes and deploy/systemd, each with the program it is made for."""
import json
import os
import re
import shutil
import tempfile

import bases
from bases import ROOT
from client import Server
from place import LATEST, run_lines, within
from places import command

POD = ROOT / "deploy/kubernetes/pod.yaml"
UNITS = ROOT / "deploy/systemd"


# --- docker-compose.yml


def compose(*arguments):
    """Debian 12's version 1, or version 2 as a program or a plugin."""
    if not shutil.which("docker-compose") and command(["docker", "compose", "version"]).returncode:
        command(["apt-get", "install", "-q", "-y", "--no-install-recommends", "docker-compose"], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    return [*(["docker-compose"] if shutil.which("docker-compose") else ["docker", "compose"]), *arguments]


def compose_is_valid():
    """Its schema is the program's own; and it finds a word that is none."""
    good = command(compose("-f", str(ROOT / "docker-compose.yml"), "config", "--quiet"))
    if good.returncode:
        return good.stderr
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as f:
        f.write((ROOT / "docker-compose.yml").read_text().replace("read_only:", "read_onli:"))
        f.flush()
        bad = command(compose("-f", f.name, "config", "--quiet"))
    return "" if bad.returncode else "a word that is none is taken for good"


def container_of(engine, image):
    """What the engine was asked for: the container's settings that the lines are about."""
    number = command(engine.argv("ps", "-q", "--filter", f"ancestor={image}")).stdout.split()
    if len(number) != 1:
        return f"{len(number)} containers"
    host = json.loads(command(engine.argv("inspect", "-f", "{{json .HostConfig}}", number[0])).stdout)
    names = ("NetworkMode", "ReadonlyRootfs", "Tmpfs", "SecurityOpt", "CapDrop", "Memory", "NanoCpus", "PidsLimit")
    settings = {name: host[name] for name in names}
    settings["CapDrop"] = [name.upper() for name in settings["CapDrop"] or []]
    return settings


def compose_is_the_line(engine):
    """`docker compose run` gives a server that answers, with the restrictions of the documented line."""
    env = {**os.environ, "DOCKER_HOST": f"unix://{engine.socket}"}
    seen = []
    for line in (compose("-f", str(ROOT / "docker-compose.yml"), "run", "--rm", "-T", "python-runner"), engine.argv(*run_lines()["container"])):
        server = Server(line, env)
        text, _ = server.run("print(6 * 7)")
        seen.append((container_of(engine, LATEST), "\n42\n" in text))
        if server.close(30) != 0:
            return "the server did not end well"
    return "" if seen[0] == seen[1] and seen[0][1] and isinstance(seen[0][0], dict) else f"{seen}"


# --- deploy/kubernetes


def kubernetes(path):
    return command(["node", str(ROOT / "tests/image/kubernetes.js"), str(path)])


def pod_is_valid():
    p = kubernetes(POD)
    print(f"{POD.name}: {p.stdout.strip()}")
    return (p.stdout + p.stderr)[-1500:] if p.returncode else ""


def pod_errors_are_found():
    """A field of no schema, a value of a wrong type."""
    wrong = []
    for good, bad in (("runAsNonRoot:", "runAsNonRot:"), ("stdin: true", "stdin: often"), ("- Egress", "- Exit: 1")):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write(POD.read_text().replace(good, bad))
            f.flush()
            if kubernetes(f.name).returncode == 0:
                wrong.append(bad)
    return f"taken for good: {wrong}" if wrong else ""


def pod_is_the_line():
    """The restrictions that both can say are the same, and the image's user is the pod's."""
    script = 'import { readFileSync } from "node:fs"; import { parseAllDocuments } from "yaml"; ' \
             'console.log(JSON.stringify(parseAllDocuments(readFileSync(process.argv[1], "utf8"))[0].toJS().spec))'
    spec = json.loads(command(["node", "--input-type=module", "-e", script, str(POD)], cwd=ROOT / "tests/image").stdout)
    c = spec["containers"][0]
    got = {"image": c["image"], "memory": c["resources"]["limits"]["memory"], "cpus": c["resources"]["limits"]["cpu"],
           "read-only": c["securityContext"]["readOnlyRootFilesystem"], "drop": c["securityContext"]["capabilities"]["drop"],
           "escalation": c["securityContext"]["allowPrivilegeEscalation"], "stdin": c["stdin"],
           "tmp": {v["name"]: v["emptyDir"]["sizeLimit"] for v in spec["volumes"]}["tmp"], "user": spec["securityContext"]["runAsUser"],
           "root": not spec["securityContext"]["runAsNonRoot"], "token": spec["automountServiceAccountToken"]}
    need = {"image": LATEST, "memory": "512Mi", "cpus": "1", "read-only": True, "drop": ["ALL"], "escalation": False, "stdin": True, "tmp": "64Mi",
            "user": 10001, "root": False, "token": False}
    line = " ".join(run_lines()["container"])
    for text in ("--memory=512m", "--cpus=1.0", "size=64m"):
        if text not in line:
            return f"the documented line has no {text} any more: {line}"
    return "" if got == need else f"{got}"


# --- deploy/systemd, in a container with systemd as process 1

SYSTEM = f"""
FROM {LATEST}
USER root
RUN apt-get update -q && apt-get install -q -y --no-install-recommends systemd libnss-systemd socat && rm -rf /var/lib/apt/lists/*
COPY python-runner-mcp.socket python-runner-mcp@.service /etc/systemd/system/
RUN systemctl enable python-runner-mcp.socket
"""
# A cgroup v2 tree of its own below the machine's, whichever version the engine uses
BOOT = """
mount -t tmpfs none /mnt && mkdir /mnt/tree && mount -t cgroup2 none /mnt/tree && mkdir -p /mnt/tree/runner-systemd || exit 1
echo $$ >/mnt/tree/runner-systemd/cgroup.procs
exec unshare --cgroup --mount sh -c 'umount -R /mnt; umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec /lib/systemd/systemd'
"""
# What systemd itself takes; what matters here is which restrictions the unit adds
POWERS = ["--cap-add=SYS_ADMIN", *(x for name in ("seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined") for x in ("--security-opt", name))]


def remove_cgroups(name):
    """What systemd made below this machine's cgroup v2 tree, innermost first; empty by now."""
    for line in open("/proc/mounts"):
        where, kind = line.split()[1:3]
        if kind == "cgroup2":
            for directory, _, _ in os.walk(os.path.join(where, name), topdown=False):
                os.rmdir(directory)


class System:
    """systemd as process 1 of a container, with the units and the server as installed."""
    NAME = "runner-systemd"

    def __init__(self, engine):
        self.engine = engine

    def __enter__(self):
        bases.build(self.engine, self.NAME, SYSTEM, UNITS)
        p = command(self.engine.argv("run", "-d", "--rm", "--name", self.NAME, *POWERS, "--network=none", "--tmpfs", "/run", "--tmpfs", "/tmp",
                                     "-e", "container=docker", "--entrypoint", "sh", self.NAME, "-c", BOOT))
        if p.returncode or not within(60, lambda: self.do("systemctl is-active python-runner-mcp.socket").stdout.strip() == "active"):
            raise RuntimeError(f"systemd does not start: {p.stderr} {self.do('systemctl status --no-pager -l').stdout[-800:]}")
        return self

    def __exit__(self, *_):
        command(self.engine.argv("rm", "-f", self.NAME))
        remove_cgroups("runner-systemd")

    def do(self, script):
        return command(self.engine.argv("exec", self.NAME, "sh", "-c", script))

    def connect(self):
        """A client's command, as documented."""
        return Server(self.engine.argv("exec", "-i", self.NAME, "socat", "-t", "3600", "-", "UNIX-CONNECT:/run/python-runner-mcp.sock"))

    def instances(self):
        """Services of connections, and their cgroups, which go last."""
        return self.do("systemctl list-units --plain --no-legend 'python-runner-mcp@*'; ls -d /sys/fs/cgroup/system.slice/system-python*/*@* 2>/dev/null").stdout

    def setting(self, line):
        """For connections from now on; none: as the unit has it."""
        drop_in = "/run/systemd/system/python-runner-mcp@.service.d"
        self.do(f"rm -rf {drop_in}; mkdir -p {drop_in}; printf '[Service]\\n%s\\n' '{line}' >{drop_in}/test.conf; systemctl daemon-reload")


def tier(server):
    server.n += 1
    found = re.search(r"Isolation on this machine: (\w+)", json.dumps(server._ask("initialize", {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}, 60)))
    return found.group(1) if found else "unknown"


def units_are_valid(system):
    p = system.do("systemd-analyze verify --man=no /etc/systemd/system/python-runner-mcp.socket /etc/systemd/system/python-runner-mcp@.service")
    return (p.stdout + p.stderr) if p.returncode or p.stderr.strip() else ""


def exposure(system):
    """The figure of systemd-analyze is what the documentation says."""
    out = system.do("systemd-analyze security --no-pager --offline=yes /etc/systemd/system/python-runner-mcp@.service").stdout
    found = re.search(r"Overall exposure level.*: ([\d.]+)", out)
    version = re.search(r"systemd (\d+)", system.do("systemctl --version").stdout).group(1)
    print(f"systemd {version}: exposure {found and found.group(1)}")
    documented = re.search(r"exposure level ([\d.]+) \(systemd (\d+)\)", (ROOT / "docs/CONTAINERS.md").read_text())
    if not found or not documented:
        return out[-500:]
    same = version == documented.group(2)
    return "" if (found.group(1) == documented.group(1) if same else float(found.group(1)) < 4) else f"docs: {documented.group(0)}"


def full_tier_under_the_unit(system):
    """A call over the socket, in the full tier, and by a user that is nobody's."""
    server = system.connect()
    text, _ = server.run("import socket\ns = socket.create_server(('127.0.0.1', 0))\nprint(sum(range(10)))")
    got = tier(server)
    users = set(system.do("for p in /proc/[0-9]*; do grep -qs '^python-runner' $p/comm && stat -c %u $p; done").stdout.split())
    wrong = "" if "\n45\n" in text and got == "full" and users and "0" not in users else f"{text} {got} {users}"
    return wrong or ("" if server.close() == 0 else "socat ended badly")


def delegated(system):
    """The service's cgroup is its user's, so that each run can have one where the controllers are."""
    server = system.connect()
    server.run("pass")
    owner = system.do("stat -c %u /sys/fs/cgroup/system.slice/system-python*/python-runner-mcp@*/cgroup.procs").stdout.split()
    server.close()
    return "" if owner and all(o.isdigit() and int(o) > 0 for o in owner) else f"owner {owner}"


def connections_apart(system):
    """Two at once are two servers with two users; each ends with its connection, with a run under way too, and nothing stays."""
    within(10, lambda: not system.instances())
    first, second = system.connect(), system.connect()
    first.start("import time; time.sleep(60)")
    text, _ = second.run("print(6 * 7)")
    begun = len(system.do("systemctl list-units --plain --no-legend 'python-runner-mcp@*'").stdout.splitlines())
    first.proc.kill()
    first.proc.wait()
    system.do("kill -KILL $(for p in /proc/[0-9]*; do grep -qs '^socat$' $p/comm && echo ${p#/proc/}; done | sort -n | head -n 1)")
    one = within(10, lambda: len(system.do("systemctl list-units --plain --no-legend 'python-runner-mcp@*'").stdout.splitlines()) == 1)
    again, _ = second.run("print(6 * 7)")
    second.close()
    none = within(10, lambda: not system.instances())
    failed = system.do("systemctl --failed --no-legend").stdout
    return "" if begun == 2 and "\n42\n" in text and one and "\n42\n" in again and none and not failed else f"{begun} {text} {one} {again} {none} {failed}"


def what_is_left_out(system):
    """The options that the unit names as left out take a layer away, and so does /proc whole; as the unit is, all hold again."""
    wrong = []
    for line, want in (("RestrictNamespaces=yes", "container"), ("ProtectHostname=yes", "container"), ("ProcSubset=all", "container"), ("", "full")):
        system.setting(line)
        server = system.connect()
        got = tier(server)
        server.close()
        if got != want:
            wrong.append(f"{line or 'as it is'}: {got}")
    return "; ".join(wrong)
