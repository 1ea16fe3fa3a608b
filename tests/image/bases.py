"""Base images without a registry: what the Dockerfile names is made here, from the distribution's packages.

`debian:13-slim` is what debootstrap(8) makes, less what that image leaves out. `python:3.12-slim` is that with a CPython 3.12 of this
machine in /usr/local, where the real one has it; a machine that has none gets the distribution's in /usr instead.
Both are kept below build/image, with the engine's images and so with its cache, until this file changes.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(HERE.parent / "container"), str(HERE.parent / "diff")]
from harness import find_interpreters  # noqa: E402
from places import command  # noqa: E402

CACHE = ROOT / "build/image"
RELEASE = "trixie"
DEBIAN, PYTHON, NO_APT, NO_CPYTHON = "debian:13-slim", "python:3.12-slim", "runner-test/no-apt", "runner-test/no-cpython"
# What debian:13-slim has not, and tells dpkg to leave out
DOCUMENTS = ["usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/groff", "usr/share/lintian"]
LIBRARIES = "ca-certificates netbase tzdata libbz2-1.0 libexpat1 libffi8 liblzma5 libncursesw6 libreadline8 libsqlite3-0 libssl3 libuuid1 zlib1g"

PYTHON_IN_LOCAL = f"""
FROM {DEBIAN}
RUN apt-get update -q && apt-get install -q -y --no-install-recommends {LIBRARIES} && rm -rf /var/lib/apt/lists/*
COPY python/ /usr/local/
RUN ldconfig && python3 -c 'import bz2, ctypes, lzma, sqlite3, ssl, zlib'
ENV LANG=C.UTF-8
CMD ["python3"]
"""
PYTHON_IN_USR = f"""
FROM {DEBIAN}
RUN apt-get update -q && apt-get install -q -y --no-install-recommends python3 {LIBRARIES} && rm -rf /var/lib/apt/lists/*
CMD ["python3"]
"""
WITHOUT_APT = f"""
FROM {DEBIAN}
RUN rm /usr/bin/apt-get
"""
# A python3 before all others that is another Python
ANOTHER_PYTHON = f"""
FROM {DEBIAN}
RUN apt-get update -q && apt-get install -q -y --no-install-recommends micropython && ln -s /usr/bin/micropython /usr/local/bin/python3
"""


def images_directory():
    """Where the engine keeps its images; emptied when what they were made from has changed."""
    stamp = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()
    data, note = CACHE / "engine", CACHE / "stamp"
    if not note.exists() or note.read_text() != stamp:
        shutil.rmtree(CACHE, ignore_errors=True)
        data.mkdir(parents=True)
        note.write_text(stamp)
    return data


def need(p, what):
    if p.returncode:
        raise RuntimeError(f"{what}: {(p.stderr or p.stdout)[-1500:]}")
    return p


def make_debian(engine):
    """Imported under its name."""
    if not shutil.which("debootstrap"):
        command(["apt-get", "install", "-q", "-y", "--no-install-recommends", "debootstrap"], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    system = CACHE / "system"
    shutil.rmtree(system, ignore_errors=True)
    need(command(["debootstrap", "--variant=minbase", RELEASE, str(system)]), "debootstrap")
    rules = "".join(f"path-exclude /{d}/*\n" for d in DOCUMENTS) + "path-include /usr/share/doc/*/copyright\n"
    (system / "etc/dpkg/dpkg.cfg.d/docker").write_text(rules)
    left_out = [f"--exclude=./{d}/*" for d in [*DOCUMENTS, "var/cache/apt", "var/lib/apt/lists", "var/log"]]
    tar = subprocess.Popen(["tar", "-C", str(system), *left_out, "-c", "."], stdout=subprocess.PIPE)
    need(command(engine.argv("import", "--change", 'CMD ["bash"]', "-", DEBIAN), stdin=tar.stdout), "docker import")
    if tar.wait():
        raise RuntimeError("tar: the base could not be packed")
    shutil.rmtree(system)


def interpreter():
    """A CPython 3.12 that is no part of the system, so that it can be taken elsewhere; or None."""
    for found in find_interpreters():
        prefix = os.path.dirname(os.path.dirname(os.path.realpath(found.path)))
        if found.version[:2] == (3, 12) and prefix != "/usr":
            return found, pathlib.Path(prefix)
    return None


def copy_interpreter(prefix, to):
    """As it is, less what that image leaves out, and with the place it is moved to in its own notes for pkg-config."""
    left_out = shutil.ignore_patterns("test", "tests", "__pycache__", "*.a", "site-packages", "idlelib", "ensurepip")
    for part in ("bin", "include", "lib"):
        shutil.copytree(prefix / part, to / part, symlinks=True, ignore=left_out)
    (to / "lib/python3.12/site-packages").mkdir()
    for note in (to / "lib/pkgconfig").glob("*.pc"):
        note.write_text(note.read_text().replace(str(prefix), "/usr/local"))


def build(engine, name, dockerfile, context=None):
    """The test's own images: the classic builder, with the network of this machine."""
    argv = engine.argv("build", "-q", "--network=host", "-t", name, *(["-f", "-", str(context)] if context else ["-"]))
    need(command(argv, input=dockerfile, env={**os.environ, "DOCKER_BUILDKIT": "0"}), f"docker build {name}")


def make_python(engine):
    found = interpreter()
    context = CACHE / "context"
    shutil.rmtree(context, ignore_errors=True)
    context.mkdir()
    if found:
        copy_interpreter(found[1], context / "python")
    build(engine, PYTHON, PYTHON_IN_LOCAL if found else PYTHON_IN_USR, context)
    shutil.rmtree(context)


def has(engine, name):
    return command(engine.argv("image", "inspect", name)).returncode == 0


def make_all(engine):
    for name, make in ((DEBIAN, make_debian), (PYTHON, make_python), (NO_APT, lambda e: build(e, NO_APT, WITHOUT_APT)),
                       (NO_CPYTHON, lambda e: build(e, NO_CPYTHON, ANOTHER_PYTHON))):
        if not has(engine, name):
            make(engine)
    lines = command(engine.argv("run", "--rm", "--network=none", PYTHON, "sh", "-c",
                                "command -v python3; python3 --version; . /etc/os-release; echo $PRETTY_NAME")).stdout.split("\n")
    print(f"{PYTHON} here: {lines[2]}, {lines[1]} at {lines[0]}")


def size_mb(engine, name):
    return int(command(engine.argv("image", "inspect", "-f", "{{.Size}}", name)).stdout) / 1e6


def version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text()).group(1)
