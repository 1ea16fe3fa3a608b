"""What is checked of the built image: what is in it, how it ends, what it does as process 1, how fast it is.

Each check returns what is wrong, or nothing.
"""
import json
import os
import re
import statistics
import subprocess
import time

import bases
from bases import ROOT
from client import Server
from place import LATEST, Image, within
from places import command

COMPILERS = re.compile(r"(usr/(local/)?)?s?bin/(cc|c\+\+|gcc|g\+\+|c[89]9|clang|tcc|ld|as|make|meson|ninja|rustc|go|[\w-]*-(gcc|g\+\+|ld|as))(-[\d.]+)?")
GROWTH_MB = 8  # the server with its libraries, over the base


def config(engine, image):
    return json.loads(command(engine.argv("image", "inspect", "-f", "{{json .Config}}", image)).stdout)


def what_it_says(engine, image):
    """User, entry point, health check and labels."""
    c = config(engine, image)
    wrong = []
    if c["User"] != "10001:10001":
        wrong.append(f"user {c['User']}")
    if c["Entrypoint"] != ["/usr/local/bin/python-runner-mcp"] or c.get("Cmd"):
        wrong.append(f"starts {c['Entrypoint']} {c.get('Cmd')}")
    if c["Healthcheck"]["Test"] != ["CMD", "/usr/local/bin/python-runner-mcp", "doctor"]:
        wrong.append(f"health check {c['Healthcheck']}")
    labels = {k.removeprefix("org.opencontainers.image."): v for k, v in c["Labels"].items()}
    if labels.get("version") != bases.version():
        wrong.append(f"version {labels.get('version')}, the project's is {bases.version()}")
    wrong += [f"no label {name}" for name in ("title", "description", "licenses", "vendor", "base.name") if not labels.get(name)]
    return "; ".join(wrong)


def readme_has_the_lines(line):
    text = (ROOT / "README.md").read_text().splitlines()
    wanted = ["docker build -t turhal-ai/python-runner-mcp:latest .", "docker " + " ".join(line)]
    return "; ".join(f"README.md has no line {x}" for x in wanted if x not in text)


def files(engine, image):
    """Everything in it: {path: line of tar -tv}."""
    container = command(engine.argv("create", image)).stdout.strip()
    export = subprocess.Popen(engine.argv("export", container), stdout=subprocess.PIPE)
    listing = command(["tar", "--numeric-owner", "-tv"], stdin=export.stdout).stdout
    export.wait()
    command(engine.argv("rm", container))
    return {re.split(r" -> | link to ", line.split(None, 5)[5])[0]: line for line in listing.splitlines()}


def what_is_in_it(engine, image):
    """The server, no compiler, no headers of the build, nothing that its user owns."""
    found = files(engine, image)
    need = ["usr/local/bin/python-runner-mcp", "usr/local/lib/python-runner-mcp/main.py", "usr/local/lib/python-runner-mcp/_python_runner.abi3.so"]
    wrong = [f"no {path}" for path in need if path not in found]
    wrong += [f"{path} is in it" for path in found if COMPILERS.fullmatch(path) or path.startswith(("source", "build", "out/"))]
    wrong += [f"{path} is its user's" for path, line in found.items() if line.split()[1].startswith("10001/")]
    return "; ".join(wrong[:10])


def size(engine, image, base):
    """Reported; and no more than the server and its libraries came to the base."""
    whole, below = bases.size_mb(engine, image), bases.size_mb(engine, base)
    print(f"size: {image} {whole:.0f} MB, of which {below:.0f} MB are {base}")
    return "" if image != LATEST or whole - below < GROWTH_MB else f"{whole - below:.1f} MB more than its base"


def without_a_shell(engine, line):
    """The server starts, runs a program and tries itself where there is no shell at all."""
    remove = "import os; [os.remove(d + n) for d in ('/bin/', '/usr/bin/') for n in ('sh', 'dash', 'bash', 'rbash') if os.path.lexists(d + n)]"
    bases.build(engine, "runner-test/no-shell", f"FROM {LATEST}\nUSER root\nRUN {json.dumps(['python3', '-c', remove])}\nUSER 10001:10001\n")
    argv = engine.argv(*line[:-1], "runner-test/no-shell")
    shell = command(engine.argv("run", "--rm", "--network=none", "--entrypoint", "sh", "runner-test/no-shell"))
    ran, doctor = command([*argv, "run", "-c", "print(42)"]), command([*argv, "doctor"])
    return "" if shell.returncode == 127 and ran.stdout == "42\n" and doctor.returncode == 0 else f"{shell} {ran} {doctor}"


def strangers(server, place):
    """An orphan of a process that is not the server's becomes its child, as process 1, and leaves no zombie."""
    number = place.look("sleep 1000 >/dev/null 2>&1 </dev/null & echo $!").strip()
    parent = within(5, lambda: place.look(f"cut -d' ' -f4 /proc/{number}/stat").strip() == "1")
    if not parent:
        return f"process {number} did not become process 1's: {place.look(f'cat /proc/{number}/stat')}"
    place.look(f"kill {number}")
    gone = within(5, lambda: place.look(f"test -e /proc/{number} || echo gone").strip())
    return "" if gone else place.look(f"cat /proc/{number}/stat")


def zombies(server, place):
    """None is left of programs that leave children behind."""
    server.run("import os\nfor i in range(5):\n  if os.fork() == 0: os._exit(0)")
    server.run("import subprocess\nfor i in range(5): subprocess.Popen(['sleep', '100'])")
    list_all = "for f in /proc/[0-9]*/stat; do read -r line <$f && echo \"$line\"; done 2>/dev/null"
    left = []

    def settled():
        left[:] = [x for x in place.look(list_all).splitlines() if re.search(r"\) Z ", x) or "(sleep)" in x]
        return not left
    return "" if within(5, settled) else "; ".join(left)


def stopped(place):
    """`docker stop` with a run under way: the server ends by itself, long before the engine would kill it."""
    server = place.server()
    number = server.start("import time; print('started', flush=True); time.sleep(60)")
    server.run("pass")  # begun later, so the other is under way
    began = time.monotonic()
    p = command(place.engine.argv("stop", "-t", "30", place.container))
    took = time.monotonic() - began
    status = server.proc.wait(10)
    print(f"docker stop: {took:.2f} s, status {status}, run {number}")
    return "" if p.returncode == 0 and took < 5 and status not in (137, 139) else f"status {status} after {took:.1f} s: {p.stderr}"


def healthy(place):
    """The engine calls it healthy; the image's interval is only shortened."""
    server = place.server(["--health-interval=1s"])
    last = within(60, lambda: (place.state().get("Health") or {}).get("Status") == "healthy")
    log = (place.state().get("Health") or {}).get("Log") or [{}]
    answer, _ = server.run("print('OK')")
    status = server.close()
    return "" if last and "OK" in answer and status == 0 else f"{log[-1]} {answer} {status}"


def paced(servers, calls=60):
    """p50 in ms of a call and of a ping, for each. Alternating, with a pause after each call: --cpus=1.0 is a share of time, used up
    by calls without one. A ping shows what the engine takes for handing input and output on."""
    took = {name: ([], []) for name in servers}
    for server in servers.values():
        server.run("pass")
    for _ in range(calls):
        for name, server in servers.items():
            for ask, values in ((lambda: server.run("print(sum(range(10)))"), took[name][0]), (lambda: server._ask("ping", {}, 10), took[name][1])):
                began = time.perf_counter()
                ask()
                values.append((time.perf_counter() - began) * 1e3)
                time.sleep(.02)
    return {name: [statistics.median(values) for values in both] for name, both in took.items()}


def speed(shop, engine):
    """No slower than twice the same server with the same interpreter on this machine; measured again where that fails, three times at most."""
    python, _ = bases.interpreter() or (None, None)
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "RUNNER_PYTHON": python.path if python else "/usr/bin/python3"}
    servers = {kind: Image(shop, engine, kind).server() for kind in ("container", "full")}
    servers["outside"] = Server([shop.server], env)
    try:
        for _ in range(3):
            p50 = paced(servers)
            print("p50 in ms of print(sum(range(10))), and of a ping: " + ", ".join(f"{name} {c:.2f} {p:.2f}" for name, (c, p) in p50.items()))
            ratios = {name: p50[name][0] / p50["outside"][0] for name in ("container", "full")}
            print("in docker / outside: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
            slow = [f"{name}: {ratio:.2f} times as slow" for name, ratio in ratios.items() if ratio > 2]
            if not slow:
                break
        return "; ".join(slow)
    finally:
        for server in servers.values():
            server.close()


def wrong_base(engine, base, words, more=()):
    """The build ends with a sentence that says what is wrong."""
    p = built(engine, ["-t", "runner-test/wrong", "--build-arg", f"BASE={base}", *more, "."])
    text = p.stdout + p.stderr
    return "" if p.returncode and all(word in text for word in words) else text[-800:]


def built(engine, arguments, buildkit=False):
    argv = engine.argv("build", "--network=host", *arguments)
    if buildkit and os.access("/usr/bin/docker", os.X_OK):
        argv[0] = "/usr/bin/docker"  # Debian's has its own client for BuildKit, or finds the plugin
    return command(argv, cwd=ROOT, env={**os.environ, "DOCKER_BUILDKIT": "1" if buildkit else "0", "BUILDKIT_PROGRESS": "plain"})


def builds(engine, arguments, buildkit=False):
    p = built(engine, arguments, buildkit)
    return (p.stdout + p.stderr)[-1500:] if p.returncode else ""


# --- the variant with libraries

LIBRARIES = ("numpy", "pandas", "scipy", "matplotlib.pyplot")
USE = r'''
import io, sys
ready = [n for n in %r if n in sys.modules]
import numpy, pandas, scipy.optimize, matplotlib.pyplot as plt
frame = pandas.DataFrame({"k": list("abab"), "v": [1, 2, 3, 4]}).groupby("k").sum()
root = scipy.optimize.brentq(lambda x: x * x - 2, 0, 2)
square = numpy.ones((300, 300)) @ numpy.ones((300, 300))
plt.plot(square[0]); picture = io.BytesIO(); plt.savefig(picture)
print("ready", *ready)
print("used", frame.loc["a", "v"], f"{root:.6f}", int(square[0, 0]), picture.getvalue()[1:4].decode())
print("versions", sys.version.split()[0], numpy.__version__, pandas.__version__, scipy.__version__, plt.matplotlib.__version__)
''' % (LIBRARIES,)
IMPORT = "import time\nbegan = time.perf_counter()\nimport pandas\nprint('took', time.perf_counter() - began)"


def doctor(place):
    p = command(place.argv(["doctor"]))
    return p.stdout + p.stderr if p.returncode else ""


def libraries(server, place):
    """Each is imported beforehand and does its work; nothing is said on stderr."""
    text, _ = server.run(USE)
    print(next((line for line in text.splitlines() if line.startswith("versions")), ""))
    return "" if f"ready {' '.join(LIBRARIES)}\nused 4 1.414214 300 PNG\n" in text and "stderr" not in text else text[-1500:]


def import_costs_nothing(server, place):
    """As against the same image that imports nothing beforehand."""
    def seconds(s):
        return float(re.search(r"took ([\d.e-]+)", s.run(IMPORT)[0]).group(1))
    plain = place.server(["-e", "RUNNER_PRELOAD="])
    without, beforehand = seconds(plain), min(seconds(server) for _ in range(3))
    plain.close()
    print(f"import pandas: {without * 1e3:.0f} ms, imported beforehand {beforehand * 1e3:.2f} ms")
    return "" if beforehand < without / 20 else "hardly faster"


def memory_fits(server, place):
    """As many runs at once as there may be, each with a large array, within what the line gives the container."""
    code = "import numpy, time\na = numpy.ones(40_000_000)\ntime.sleep(.5)\nprint('OK', a.sum())"
    runs = [server.start(code) for _ in range(4)]
    wrong = [text[-300:] for text, _ in map(server.finish, runs) if "OK 40000000.0" not in text]
    return "; ".join(wrong)


def memory_is_bounded(server, place):
    text, _ = server.run("import numpy\ntry: numpy.ones(200_000_000)\nexcept MemoryError: print('refused')")
    return "" if "refused" in text else text[-500:]
