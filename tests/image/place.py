"""The built image as a place for the checks of tests/container, under the lines of docs/CONTAINERS.md as they stand there."""
import json
import re
import shlex
import time

from bases import ROOT
from client import Server
from places import Docker, command

LATEST, DATA = "turhal-ai/python-runner-mcp:latest", "turhal-ai/python-runner-mcp:latest-data"


def documented(beginning):
    """The lines of docs/CONTAINERS.md that begin so, as arguments."""
    text = (ROOT / "docs/CONTAINERS.md").read_text()
    return [shlex.split(line) for line in text.splitlines() if line.startswith(beginning)]


def run_lines():
    """{"container": argv, "full": argv, "data": argv}"""
    lines = {}
    for argv in documented("docker run -i --rm "):
        kind = "data" if argv[-1] == DATA else "full" if any("seccomp=" in a for a in argv) else "container"
        if kind in lines or argv[-1] not in (LATEST, DATA):
            raise RuntimeError(f"docs/CONTAINERS.md: unexpected line {shlex.join(argv)}")
        lines[kind] = argv[1:]
    return lines


class Image(Docker):
    def __init__(self, shop, engine, kind):
        super().__init__(shop, engine, "image")
        self.name, self.kind = f"image {kind}", kind
        self.tier = "full" if kind == "full" else "container"
        self.name_in_passwd = True
        self.line = run_lines()[kind]

    def argv(self, arguments, more=()):
        self.n += 1
        self.container = f"runner-{self.kind}-{self.n}"
        at = self.line.index("run") + 1
        return self.engine.argv(*self.line[:at], "--name", self.container, *more, *self.line[at:], *arguments)

    def server(self, more=()):
        return Server(self.argv([], more))

    def doctor(self):
        p = command(self.argv(["doctor"]))
        return p.stdout + p.stderr

    def tight_server(self):
        container = self.container
        argv = [re.sub(r"^--pids-limit=.*", "--pids-limit=30", a) for a in self.argv([])]
        self.container = container
        return Server(argv)

    def state(self):
        return json.loads(command(self.engine.argv("inspect", "-f", "{{json .State}}", self.container)).stdout or "{}")


def within(seconds, question):
    """The question's first answer that is not empty, or its last."""
    deadline = time.monotonic() + seconds
    while True:
        answer = question()
        if answer or time.monotonic() > deadline:
            return answer
        time.sleep(.05)
