"""README.md and README.tr.md say the same: headings, code, tables, links; and what README.md shows of commands is true."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from cli import *  # noqa: E402


def page(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def blocks(text):
    return re.findall(r"^```(.*?)\n(.*?)^```$", text, re.M | re.S)


def prose(text):
    return re.sub(r"^```.*?^```$", "```", text, flags=re.M | re.S)


def rows(text):
    """For each row of each table the code in each of its cells."""
    return [[sorted(re.findall(r"`[^`]+`", c)) for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in prose(text).splitlines()
            if line.startswith("|")]


def skeleton(text):
    """Headings by level, blocks, tables, lists and pictures in their order."""
    found, before = [], ""
    for line in prose(text).splitlines():
        kind = re.match(r"#+|```|\||- |!\[|<!-- \w+", line)
        kind = kind[0] if kind else ""
        if kind and not (kind == "|" == before):
            found.append(kind)
        before = kind or ("" if kind == "|" else before if line.startswith("  ") else "")
    return found


class TwoLanguages(CliCase):
    def setUp(self):
        self.en, self.tr = page("README.md"), page("README.tr.md")

    def test_headings_blocks_tables_and_lists_in_the_same_order(self):
        self.assertEqual(skeleton(self.en), skeleton(self.tr))
        self.assertGreater(skeleton(self.en).count("##"), 8)
        self.assertEqual(skeleton(self.en).count("|"), 3)

    def test_the_same_commands(self):
        self.assertEqual(blocks(self.en), blocks(self.tr))
        self.assertGreater(len(blocks(self.en)), 4)

    def test_the_same_tables(self):
        """As many rows and columns, and the same code and numbers in each cell."""
        self.assertEqual(rows(self.en), rows(self.tr))
        numbers = [re.findall(r"\|\s*(\d+)\s*\|", text) for text in (self.en, self.tr)]
        self.assertEqual(*numbers)

    def test_the_same_links_and_pictures(self):
        links = [sorted(re.findall(r"\]\(([^)]+)\)", text)) for text in (self.en, self.tr)]
        links[0].remove("README.tr.md")
        links[1].remove("README.md")
        self.assertEqual(*links)

    def test_nothing_is_left_in_the_other_language(self):
        en, tr = ({p for p in prose(text).split("\n\n") if len(p) > 80 and p[0] != "|"} for text in (self.en, self.tr))
        self.assertEqual(en & tr, set())

    def test_headings_differ(self):
        pairs = list(zip(*(re.findall(r"^#+ (.*)$", prose(text), re.M) for text in (self.en, self.tr))))
        self.assertEqual([a for a, b in pairs[1:] if a == b], [])


class Shown(CliCase):
    def test_the_configuration_is_what_the_program_prints(self):
        (shown,) = [body for kind, body in blocks(page("README.md")) if kind == "json"]
        p = call("config", "claude-desktop", RUNNER_PYTHON=None)
        self.assertEqual(p.out.decode().replace(os.path.realpath(BIN), "/path/to/build/python-runner-mcp"), shown)

    def test_the_commands_exist(self):
        (block,) = [body for _, body in blocks(page("README.md")) if "python-runner-mcp run -c" in body]
        program = self.file("print(sum(range(10)))", "main.py")
        for line in block.splitlines():
            words = line.split("#")[0].replace("'", "").split()
            p = call(*[program if w == "main.py" else w for w in words[1:]], cwd=os.path.dirname(program))
            self.assertEqual(p.returncode, 0, f"{line}: {p.err}")

    def test_scripts_that_are_named_are_there(self):
        for name in set(re.findall(r"(?<![\w/])\./(\w+\.sh)", page("README.md"))):
            self.assertTrue(os.access(os.path.join(ROOT, name), os.X_OK), name)

    def test_last_lines(self):
        """Each form of a last line in the table is one that the program makes."""
        for pattern, code in ((r"exit_code: 3", "raise SystemExit(3)"),
                              (r"exit_code: -11 \(SIGSEGV\)", "import os; os.kill(os.getpid(), 11)")):
            self.assertRegex(page("README.md"), rf"`--- {pattern} \\\| duration: \d\.\d{{3}}s ---`")
            with mcp.Client() as c:
                text = c.result("tools/call", {"name": "run_python", "arguments": {"code": code}})["content"][0]["text"]
            self.assertRegex(text.splitlines()[-1], rf"\A--- {pattern} \| duration: \d\.\d{{3}}s ---\Z")


if __name__ == "__main__":
    unittest.main()
