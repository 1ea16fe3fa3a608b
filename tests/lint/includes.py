#!/usr/bin/python3
"""Includes point one way (docs/ARCHITECTURE.md). Prints what does not, last `N passed, N failed`.

    includes.py [SRC]

One row a rule below; a rule holds for every file whose path below src/ matches its pattern, and the first pattern that
matches counts. A self-test plants violations in a copy of the tree and must find each.
"""
import fnmatch
import os
import re
import shutil
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Files, what of ours they may include, why.
APPLY_SIDE = ["wire/*", "sandbox/plan.h", "sandbox/apply*.h", "base/macro.h"]
OURS = [
    ("base/*", ["base/*"], "the bottom: sees only itself"),
    ("json/*", ["json/*", "base/*"], "base <- json"),
    ("rpc/*", ["rpc/*", "json/*", "base/*"], "base <- json <- rpc"),
    ("wire/test_*", ["wire/*", "base/*"], "tests"),
    ("wire/*", ["wire/*", "base/macro.h"], "compiled into the template as well: plain data, safe after fork"),
    ("sandbox/test_apply*", ["*"], "tests may look at everything"),
    ("sandbox/apply*", APPLY_SIDE, "apply side: raw system calls only"),
    ("template/*", APPLY_SIDE + ["template/*"], "loaded into the user's interpreter: no library of ours"),
    ("sandbox/*", ["sandbox/*", "wire/*", "base/*"], "plan side"),
    ("exec/*", ["exec/*", "sandbox/sandbox.h", "sandbox/plan.h", "wire/*", "base/*"], "base <- wire <- exec; knows no protocol"),
    ("mcp/*", ["mcp/*", "exec/*", "sandbox/sandbox.h", "rpc/*", "json/*", "base/*"], "rpc, exec <- mcp; knows no wire"),
    ("main/*", ["main/*", "mcp/*", "exec/*", "sandbox/sandbox.h", "wire/wire.h", "rpc/*", "json/*", "base/*"], "the top"),
]

# System headers that belong to one place only.
THEIRS = [
    (r"jansson\.h", ["json/*.c", "json/library.h"], "only src/json knows the JSON library"),
    (r"(Python|structmember|frameobject)\.h", ["template/*"], "only the template speaks to the interpreter"),
    (r"(linux/.*|sys/prctl|sys/mount|sys/syscall|sys/capability|sched|seccomp|sys/epoll|sys/inotify|sys/eventfd|sys/signalfd|sys/timerfd)\.h",
     ["sandbox/*"], "Linux-only code stays under src/sandbox"),
    (r"uv\.h", ["rpc/*", "exec/*", "mcp/*", "main/*"], "the event loop is the supervisor's"),
    (r"cmocka\.h", ["*/test_*", "test_*"], "tests only"),
]
# A header that one file needs in spite of its rule: (file, header, why).
EXCEPT = [
    ("base/fd.c", "sys/mman.h", "memfd_create(2), with its portable twin beside it"),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, p) for p in patterns)


def sources(src):
    for folder, _, names in os.walk(src):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                yield path, os.path.relpath(path, src)


def faults(src):
    found = []
    for path, rel in sources(src):
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), f.read(), flags=re.S)
        for m in INCLUDE.finditer(text):
            where = f"src/{rel}:{text.count(chr(10), 0, m.start()) + 1}"
            header = m[2]
            if any(rel == f and header == h for f, h, _ in EXCEPT):
                continue
            if os.path.exists(os.path.join(src, header)) or m[1] == '"':
                if header.endswith(".inc"):  # a table of the same folder, made for one includer
                    continue
                if not os.path.exists(os.path.join(src, header)):
                    found.append(f"{where}: \"{header}\": name headers by their folder, from src/ on")
                    continue
                rule = next((r for r in OURS if fnmatch.fnmatchcase(rel, r[0])), None)
                if rule is None:
                    found.append(f"{where}: no rule for this folder: add one to tests/lint/includes.py")
                elif not matches(header, rule[1]) and not (os.path.basename(rel).startswith("test_") and header.startswith(rel.split("/")[0] + "/")):
                    found.append(f"{where}: \"{header}\" is out of bounds here ({rule[2]})")
            else:
                for pattern, places, why in THEIRS:
                    if re.fullmatch(pattern, header) and not matches(rel, places):
                        found.append(f"{where}: <{header}> is out of bounds here ({why})")
    return found


PLANTED = [
    ("base/planted.c", '#include "json/json.h"\n'),
    ("json/planted.c", '#include "rpc/message.h"\n'),
    ("rpc/planted.c", '#include "exec/runner.h"\n'),
    ("rpc/planted2.c", "#include <jansson.h>\n"),
    ("exec/planted.c", '#  include "mcp/server.h"\n'),
    ("exec/planted2.c", "#include <sys/prctl.h>\n"),
    ("mcp/planted.c", '#include "wire/wire.h"\n'),
    ("main/planted.c", "#include <linux/landlock.h>\n"),
    ("template/planted.c", '#include "base/log.h"\n'),
    ("sandbox/apply_planted.c", '/* a comment */ \n#include "base/buf.h"\n'),
    ("sandbox/planted.c", '#include "exec/job.h"\n'),
    ("wire/planted.c", '#include "base/log.h"\n'),
    ("base/planted3.c", '#include "macro.h"\n'),
]


def self_test(src):
    """Each planted violation is found, and a commented-out one is not."""
    missed = []
    with tempfile.TemporaryDirectory() as d:
        copy = os.path.join(d, "src")
        shutil.copytree(src, copy)
        before = set(faults(copy))
        for rel, text in PLANTED:
            path = os.path.join(copy, rel)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            if not any(f"src/{rel}:" in x for x in faults(copy)):
                missed.append(f"planted in {rel} and not found: {text.strip()}")
            os.unlink(path)
        with open(os.path.join(copy, "base", "planted.c"), "w", encoding="utf-8") as f:
            f.write('/*\n#include "json/json.h"\n*/\n')
        if set(faults(copy)) != before:
            missed.append("an include within a comment counts")
    return missed


def main():
    src = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "src")
    failed = 0
    for name, found in (("include direction", faults(src)), ("include lint self-test", self_test(src))):
        print("\n".join(found), end="\n" if found else "")
        print(f"{'not ok' if found else 'ok'} {name}")
        failed += bool(found)
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
