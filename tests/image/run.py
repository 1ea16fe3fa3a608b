#!/usr/bin/python3
"""The images that the Dockerfile makes: built by a real engine on bases made here, run under the lines of docs/CONTAINERS.md.

    run.py [--only PART]... [SERVER]      SERVER: the built program, for comparison; build/python-runner-mcp by default

As root. The engine is its own and is stopped again; its images are kept in build/image, for the next time.
"""
import argparse
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "container")]
import bases  # noqa: E402
import deploy_checks as deploy  # noqa: E402
import image_checks as checks  # noqa: E402
import places  # noqa: E402
from place import DATA, LATEST, Image, documented, run_lines  # noqa: E402
from report import Count, check_place, guarded  # noqa: E402


def part_build(tell, shop, engine):
    """Each variant by its documented line, and once more by the other builder and on the distribution alone."""
    for line in documented("docker build "):
        tell(" ".join(line), checks.builds, engine, line[2:])
    tell("BuildKit builds it too, and a base without Python gets its distribution's", checks.builds, engine,
         ["-t", "runner-test/buildkit", "--build-arg", f"BASE={bases.DEBIAN}", "."], True)
    for image in (LATEST, "runner-test/buildkit", DATA):
        tell(f"{image}: what it says of itself", checks.what_it_says, engine, image)
        tell(f"{image}: what is in it", checks.what_is_in_it, engine, image)
    tell("README.md has the documented lines", checks.readme_has_the_lines, run_lines()["container"])
    tell("size", checks.size, engine, LATEST, bases.PYTHON)
    tell("size of the variant with libraries", checks.size, engine, DATA, bases.PYTHON)


def part_wrong(tell, shop, engine):
    tell("a base without apt ends the build with a sentence", checks.wrong_base, engine, bases.NO_APT, ["has no apt-get", "Debian 12"])
    tell("so does a python3 that is none", checks.wrong_base, engine, bases.NO_CPYTHON, ["CPython 3.9 or newer"])


def part_container(tell, shop, engine):
    check_place(tell.count, Image(shop, engine, "container"))


def part_full(tell, shop, engine):
    check_place(tell.count, Image(shop, engine, "full"))


def part_life(tell, shop, engine):
    for kind in ("container", "full"):
        place = Image(shop, engine, kind)
        server = place.server()
        tell(f"{kind}: orphans of strangers are reaped", checks.strangers, server, place)
        tell(f"{kind}: no zombie stays", checks.zombies, server, place)
        server.close()
        tell(f"{kind}: docker stop", checks.stopped, place)
        tell(f"{kind}: the engine calls it healthy", checks.healthy, place)
    tell("no shell is needed", checks.without_a_shell, engine, place.line)


def part_speed(tell, shop, engine):
    tell("no slower than twice the same server outside", checks.speed, shop, engine)


def part_data(tell, shop, engine):
    place = Image(shop, engine, "data")
    tell("data: doctor has no complaint", checks.doctor, place)
    server = place.server()
    for name, check in (("the libraries", checks.libraries), ("import costs nothing", checks.import_costs_nothing), ("four large arrays fit", checks.memory_fits),
                        ("a larger one is refused", checks.memory_is_bounded)):
        tell(f"data: {name}", check, server, place)
    tell("data: the server ends with its input", lambda: "" if server.close() == 0 else "status")


def part_compose(tell, shop, engine):
    tell("docker-compose.yml is valid", deploy.compose_is_valid)
    tell("docker compose run has the restrictions of the documented line", deploy.compose_is_the_line, engine)


def part_kubernetes(tell, shop, engine):
    tell("the pod is valid by Kubernetes' schemas, field by field", deploy.pod_is_valid)
    tell("errors in it would be found", deploy.pod_errors_are_found)
    tell("its restrictions are those of the documented line", deploy.pod_is_the_line)


def part_systemd(tell, shop, engine):
    with deploy.System(engine) as system:
        for name, check in (("the units are valid", deploy.units_are_valid), ("the exposure level is the documented one", deploy.exposure),
                            ("the full tier under the unit", deploy.full_tier_under_the_unit), ("its cgroup is delegated", deploy.delegated),
                            ("a server for each connection", deploy.connections_apart), ("what the unit leaves out", deploy.what_is_left_out)):
            tell(f"systemd: {name}", check, system)


PARTS = {"build": part_build, "wrong": part_wrong, "container": part_container, "full": part_full, "life": part_life, "speed": part_speed,
         "data": part_data, "compose": part_compose, "kubernetes": part_kubernetes, "systemd": part_systemd}


class Tell:
    def __init__(self):
        self.count = Count()

    def __call__(self, name, check, *args):
        started = time.monotonic()
        self.count.tell(name, guarded(check, *args), started)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("server", nargs="?", default=str(bases.ROOT / "build/python-runner-mcp"))
    args = parser.parse_args()
    os.chdir(bases.ROOT)  # the documented lines name files from there
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    tell = Tell()
    with places.Workshop(pathlib.Path(args.server).resolve()) as shop:
        engine, why = places.started_engine(shop, bases.images_directory())
        if not engine:
            print(f"not ok no Docker engine: {why}\n0 passed, 1 failed")
            return 1
        print(f"Docker engine: {engine.version()}")
        bases.make_all(engine)
        for name in args.only or PARTS:
            PARTS[name](tell, shop, engine)
        places.command(engine.argv("container", "prune", "-f"))  # of builds that had to fail
    print(f"{tell.count.passed} passed, {tell.count.failed} failed")
    return 1 if tell.count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
