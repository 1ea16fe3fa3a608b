#!/usr/bin/python3
"""The container tier of the sandbox: no namespaces, no capability, read-only root.

    run.py [--only PLACE]... [SERVER]      SERVER: the built program, build/python-runner-mcp by default

The same checks in several places:
  user     this machine, as an ordinary user, namespaces switched off
  old      the same with Landlock's ABI 4 (Linux 6.7 to 6.9): no signal scope
  docker   a real Docker engine, under the flags of the README
  profile  the same with deploy/seccomp and systempaths=unconfined: there the full tier holds
  byhand   where no engine can be started: those restrictions made with unshare(1), mount(8), setpriv(1)
and of the profiles in deploy/. As root; an ordinary user can run what is his: `user` and `old`, without a change of user.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402
from report import Count, check_place, guarded  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
def check_profiles(count):
    started = time.monotonic()
    p = subprocess.run([sys.executable, ROOT / "deploy/seccomp/generate.py", "--check"], capture_output=True, text=True)
    count.tell("deploy/seccomp is in step with the policy", p.stderr if p.returncode else "", started)
    started = time.monotonic()
    count.tell("deploy/apparmor is good syntax", guarded(places.apparmor_syntax, ROOT / "deploy/apparmor/python-runner-mcp"), started)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", choices=["user", "old", "docker", "profile", "byhand", "deploy"])
    parser.add_argument("server", nargs="?", default=str(ROOT / "build/python-runner-mcp"))
    args = parser.parse_args()
    asked = args.only or ["user", "old", "docker", "profile", "deploy"]
    count = Count()
    with places.Workshop(pathlib.Path(args.server).resolve()) as shop:
        for place in ("user", "old"):
            if place in asked:
                check_place(count, places.User(shop, place))
        if "docker" in asked or "profile" in asked:
            engine, why = places.engine(shop)
            if engine:
                print(f"Docker engine: {engine.version()}")
                for place in ("docker", "profile"):
                    if place in asked:
                        check_place(count, places.Docker(shop, engine, place))
            else:
                print(f"No Docker engine: {why}\nThe same restrictions by hand instead:")
                asked.append("byhand")
        if "byhand" in asked:
            check_place(count, places.ByHand(shop))
        if "deploy" in asked:
            check_profiles(count)
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
