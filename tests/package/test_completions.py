"""The completions of bash, zsh and fish, asked in the real shells, against the program's own table of options (--help)."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from cli import *  # noqa: E402

FILES = os.path.join(ROOT, "completions")
VALUES = {"FORMAT": ["json", "text"]}  # what an option's argument may be, where that is a list

ZSHRC = r"""
PROMPT= RPROMPT= zle_highlight=(none)
fpath=("$FILES" $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    local -a hits
    builtin compadd -A hits "$@"
    (($#hits)) && print -rl -- $hits >>"$HITS"
    builtin compadd "$@"
}
bindkey '^I' list-choices
zle-line-init() { print -n '<ready>' }
zle -N zle-line-init
"""


def table():
    """({command: {option: argument}}, {option of all commands}, [client]) as --help has them."""
    text = help_text()
    commands, command = {}, None
    for line in text.split("\nCommands:\n")[1].split("\nClients:")[0].splitlines():
        if m := re.match(r"  (\w+)", line):
            command = commands.setdefault(m[1], {})
        elif m := re.match(r"      (-\S+(?:, -\S+)*)(?: ([A-Z]+))?(?: {2}|$)", line):
            command.update({name: m[2] for name in m[1].split(", ")})
    general = re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", text.split("\nOptions:\n")[1].split("\nEnvironment:")[0])
    return commands, set(general), re.search(r"^Clients: (.*)$", text, re.M)[1].split(", ")


class Completions:
    """line -> the words that the shell offers for its end"""

    @classmethod
    def setUpClass(cls):
        cls.commands, cls.general, cls.clients = table()

    def test_commands(self):
        self.assertEqual(self.offered("python-runner-mcp "), set(self.commands))
        self.assertEqual(self.offered("python-runner-mcp ru"), {"run"})

    def test_options_of_each_command(self):
        self.assertGreater(sum(map(len, self.commands.values())), 3)
        for command, own in self.commands.items():
            with self.subTest(command):
                self.assertEqual(self.offered(f"python-runner-mcp {command} -"), set(own) | self.general)

    def test_options_without_a_command(self):
        self.assertEqual(self.offered("python-runner-mcp -"), self.general)

    def test_clients(self):
        self.assertEqual(self.offered("python-runner-mcp config "), set(self.clients))

    def test_arguments_that_are_a_list(self):
        for command, own in self.commands.items():
            for option, argument in own.items():
                if argument in VALUES:
                    self.assertEqual(self.offered(f"python-runner-mcp {command} {option} "), set(VALUES[argument]))

    def test_files(self):
        folder = self.folder()
        with open(os.path.join(folder, "program.py"), "w"):
            pass
        self.assertEqual(self.offered("python-runner-mcp run ", folder), {"program.py"})


class Bash(Completions, CliCase):
    def offered(self, line, folder="/"):
        script = r"""
. "$FILES/python-runner-mcp.bash"
compopt() { [[ $1 == -o ]] && default=1; }
IFS= read -r line
COMP_WORDS=() COMP_CWORD=0
read -ra COMP_WORDS <<<"$line"
[[ $line != *' ' ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
$(complete -p python-runner-mcp | sed -E 's/.*-F ([^ ]+).*/\1/')
[[ -z ${default:-} ]] || mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
printf '%s\n' "${COMPREPLY[@]}"
"""
        p = subprocess.run(["bash", "--norc", "-c", script], input=line, cwd=folder, capture_output=True, text=True,
                           timeout=LIMIT, env={"FILES": FILES, "PATH": "/usr/bin:/bin"})
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        return set(filter(None, p.stdout.split("\n")))

    def test_a_value_behind_an_equals_sign(self):
        self.assertEqual(self.offered("python-runner-mcp run --format = j"), {"json"})  # as bash cuts the words


class Zsh(Completions, CliCase):
    def offered(self, line, folder="/"):
        home = self.folder()
        with open(os.path.join(home, ".zshrc"), "w") as f:
            f.write(ZSHRC)
        hits = os.path.join(home, "hits")
        t = self.terminal()
        p = subprocess.Popen(["zsh", "-i"], stdin=t.there, stdout=t.there, stderr=t.there, cwd=folder, start_new_session=True,
                             env={"FILES": FILES, "HITS": hits, "ZDOTDIR": home, "HOME": home, "PATH": "/usr/bin:/bin",
                                  "TERM": "dumb"})
        self.addCleanup(self.end, p)
        os.close(t.there)
        read_until(t.here, b"<ready>")  # the line editor, and no longer the terminal's own
        # The line, one TAB; ^U takes the line away again, and the shell ends.
        os.write(t.here, line.encode() + b"\t\x15exit\n")
        said = read_until(t.here, None)
        self.assertEqual(p.wait(LIMIT), 0, said)
        if not os.path.exists(hits):
            return set()
        with open(hits) as f:
            return set(f.read().split())


class Fish(Completions, CliCase):
    def offered(self, line, folder="/"):
        home = self.folder()
        script = f"source {FILES}/python-runner-mcp.fish; complete -C '{line}'"
        p = subprocess.run(["fish", "--no-config", "-c", script], cwd=folder, capture_output=True, text=True, timeout=LIMIT,
                           env={"HOME": home, "PATH": os.path.dirname(BIN) + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        return {row.split("\t")[0] for row in p.stdout.splitlines()}


if __name__ == "__main__":
    unittest.main()
