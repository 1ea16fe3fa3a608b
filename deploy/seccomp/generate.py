#!/usr/bin/env python3
"""Writes python-runner-mcp.json, a seccomp profile for `docker run` (and podman) under which the full
tier of the sandbox works inside a container.

    generate.py            writes the profile beside this file
    generate.py --check    exit 1 when the profile there is not what would be written

The profile is the runner's own policy for programs (src/sandbox/syscalls_*.c), without that policy's
rules on arguments, and what the runner needs to set a program's sandbox up. So a container under it
is offered fewer system calls than under the engine's default profile, but for those in SET_UP, which
the kernel allows only to somebody with capabilities in the namespace concerned: in a container
without capabilities, in a user namespace of its own.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE.parent.parent / "src" / "sandbox"
PROFILE = HERE / "python-runner-mcp.json"

SET_UP = {
    "unshare": "the template enters a user and a mount namespace",
    "mount": "the private root, /proc, the work directory, /tmp and /dev/shm of a run",
    "mount_setattr": "makes the private root read-only with all that is mounted in it",
    "umount2": "lets go of the old root",
    "pivot_root": "enters the private root",
    "sethostname": "the run's own host name",
    "setgroups": "gives up supplementary groups, where the server is root",
    "capset": "gives up every capability",
    "seccomp": "the program's own filter",
    "landlock_create_ruleset": "the program's files",
    "landlock_add_rule": "the program's files",
    "landlock_restrict_self": "the program's files",
}
FAMILIES = {1: "AF_UNIX", 2: "AF_INET", 10: "AF_INET6"}
PERSONALITIES = {0: "plain Linux", 0xFFFFFFFF: "asking"}
ENOSYS, EPERM = 38, 1


def rows():
    """(class, name, reason) of every row in the policy's tables."""
    row = re.compile(r'(ALLOWED|RULED|UNKNOWN|REFUSED)\(\s*"([a-z0-9_]+)"(.*?)\)[,;]\n', re.S)
    for path in sorted(TABLES.glob("syscalls_*.c")):
        for kind, name, rest in row.findall(path.read_text()):
            yield kind, name, " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', rest))


def entry(names, action, comment, **more):
    return {"names": sorted(names), "action": action, **more, "comment": comment}


def only(name, values, what):
    return [entry([name], "SCMP_ACT_ALLOW", f"{what}: {word}", args=[{"index": 0, "value": value, "op": "SCMP_CMP_EQ"}])
            for value, word in values.items()]


def profile():
    table = list(rows())
    assert len(table) > 300, "the policy's tables are not where they were"
    allowed = {name for kind, name, _ in table if kind in ("ALLOWED", "RULED")} - {"socket", "socketpair", "personality"}
    unknown = {name for kind, name, _ in table if kind == "UNKNOWN"} - set(SET_UP)
    rules = [entry(allowed, "SCMP_ACT_ALLOW", "what a program may call, and so the server may: src/sandbox/syscalls_*.c")]
    rules += only("socket", FAMILIES, "sockets") + only("socketpair", {1: "AF_UNIX"}, "socket pairs")
    rules += only("personality", PERSONALITIES, "personality")
    rules += [entry([name], "SCMP_ACT_ALLOW", "set-up: " + why) for name, why in SET_UP.items()]
    rules.append(entry(unknown, "SCMP_ACT_ERRNO", "answered as by a kernel without them: programs have a fallback (clone3: glibc's is clone)",
                       errnoRet=ENOSYS))
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": EPERM,
        "archMap": [{"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []},
                    {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": []}],
        "syscalls": rules,
    }


def main():
    text = json.dumps(profile(), indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        if not PROFILE.exists() or PROFILE.read_text() != text:
            sys.exit(f"{PROFILE.name} is not in step with the policy: run {pathlib.Path(__file__).name}")
        return
    PROFILE.write_text(text)


if __name__ == "__main__":
    main()
