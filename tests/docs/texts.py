"""The texts in the sources that a person may read: string literals with a space in them, joined as the compiler does.

In a text each value (%s, a macro between two literals) is `…`, as in docs/TROUBLESHOOTING.md. Left out are only debug lines,
what --help says and what SILENT names: whoever adds a text anywhere else has to say in that document what it means.
"""
import glob
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SERVER = os.environ.get("TEST_SERVER") or os.path.join(ROOT, "build", "python-runner-mcp")
HELP = " ".join(subprocess.run([SERVER, "--help"], capture_output=True, text=True, check=True).stdout.split())
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
SEQUENCE = re.compile(rf"{LITERAL}(?:\s*(?:{LITERAL}|[A-Z][A-Z_0-9]{{2,}}\w*))*")
SHORTEST = 8

# file: None (nothing in it is told as an error), or patterns of texts in it that are none
SILENT = {
    "src/base/log.c": ["a pipe would take", r"^.b+.t+ n"],
    "src/exec/environment.c": None,  # reasons in a table
    "src/exec/outcome.c": ["omitted"],
    "src/main/cli.c": ["^Clients:", "^…; …, default"],
    "src/json/edit.c": ["^(an array|a string|its value)$"],  # parts of one text
    "src/main/client_config.c": ["^This goes into …", "^As it was before", "^…: … is in … now", "^…: …With --write",
                                 "^, or try again$"],
    "src/main/client_form.c": ["^/Library", "^Claude (Desktop|Code)$", "(merge|save) this", "^(Quit|Start|Switch|VS Code shows|`openclaw)"],
    "src/main/replace_file.c": ["^the path of the configuration$"],  # part of one text
    "src/main/doctor.c": [r"^(print\(|\. What to do|try:|with open|while True)",
                          "^(file size limit|temporary directory|memory limit|time limit)$",
                          "^python-runner-mcp … at …", "^every variable is good", "^CPython … at …", "^ok layer …: holds"],
    "src/main/serve.c": ["^python-runner-mcp …: CPython", "^this is an MCP server", "^…: stopping$"],
    "src/mcp/arguments.c": ["^code, timeout, stdin$"],
    "src/mcp/call.c": ["^(… )?ended: status", "^waiting for a free slot"],
    "src/mcp/envelope.h": ["^debug, info, notice"],
    "src/mcp/result_text.c": ["^--- (note|…) ---$", "^exit_code: -…", "^. duration"],
    "src/mcp/tool.c": None,  # what a model is told
    "src/mcp/tool.h": None,
    "src/rpc/message.c": ["^Parse error$"],
    "src/sandbox/apply_cgroup.c": ["^-memory -pids$"],
    "src/sandbox/apply_seccomp.c": ["instructions as 8 bytes"],  # an assertion of the compiler's
    "src/sandbox/cgroup.c": [r"^\+memory \+pids$"],
    "src/sandbox/cgroup_file.c": ["^- cgroup2$"],
    "src/sandbox/policy.c": None,  # reasons in a table
    "src/template/last.c": None,  # words of programs
    "src/template/preload.c": ["^import "],  # programs that only the worker sees
    "src/template/program.c": ["^.x7fresult"],
    "src/template/quitter.c": None,  # as in CPython
    "src/template/rehearse.c": None,  # a program that only the worker sees
    "src/template/value.c": ["^<repr"],
}


def normal(text):
    """As it is printed, with … for each value."""
    text = re.sub(r"%%", "\0", text)
    text = re.sub(r"%[-+#0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|j|z|t)?[a-zA-Z]", "…", text).replace("\0", "%")
    text = re.sub(r'\\(["n\\])', lambda m: {"n": " "}.get(m[1], m[1]), text)
    text = " ".join(text.split())
    text = re.sub(r"^python-runner-mcp: ", "", text)
    return re.sub(r"…(?:\s*…)+", "…", text).strip(" :;")


def joined(sequence):
    """The literals of C, with … for a macro between them; those of inttypes.h end a %."""
    text = re.sub(r"%\"\s*PRI\w+", "%d\"", sequence)
    parts = re.findall(rf"({LITERAL})|([A-Z][A-Z_0-9]{{2,}}\w*)", text)
    return "".join(literal[1:-1] if literal else "…" for literal, _ in parts)


def without_comments(source):
    source = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), source, flags=re.S)
    return re.sub(r"^\s*#\s*(?:include|if|ifdef|ifndef|elif|error).*$", "", source, flags=re.M)


def texts():
    """{text: file:line}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "*", "*.[ch]"))):
        file = os.path.relpath(path, ROOT)
        if re.match(r"(test_|syscalls|seccomp_|utf8_filter)", os.path.basename(path)):
            continue
        with open(path, encoding="utf-8") as f:
            source = without_comments(f.read())
        for m in SEQUENCE.finditer(source):
            if re.search(r"log_debug\([^()]*,\s*\Z", source[max(0, m.start() - 200):m.start()]):
                continue  # for whoever looks for a fault with RUNNER_LOG_LEVEL=DEBUG
            keep(found, file, source.count("\n", 0, m.start()) + 1, normal(joined(m[0])))
    with open(os.path.join(ROOT, "src", "template", "main.py"), encoding="utf-8") as f:
        for m in re.finditer(r"'((?:[^'\\]|\\.)*)'", re.sub(r"#.*", "", f.read())):
            keep(found, "src/template/main.py", 0, normal(m[1]))
    return found


def keep(found, file, line, text):
    patterns = SILENT.get(file, [])
    words = text.replace("…", "")
    if " " not in words.strip() or len(words.strip()) < SHORTEST or text == "what to do" or text in HELP:
        return
    if patterns is None or any(re.search(p, text) for p in patterns):
        return
    found.setdefault(text, f"{file}:{line}")


if __name__ == "__main__":
    for text, where in texts().items():
        print(f"{where}: {text}")
