"""docs/CONFIGURATION.md against the program's own table of variables, in both directions; README's defaults as well."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from cli import *  # noqa: E402

SYSTEM = {"TMPDIR": ("a directory that we may write to", "/tmp")}  # not of the table


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def sections():
    """{name: (allowed, default, example, words)}"""
    found = {}
    for part in re.split(r"^### ", read("docs", "CONFIGURATION.md"), flags=re.M)[1:]:
        m = re.match(r"`([A-Z_]+)`\n\nDefault `(.*?)`; (.*?)\. Example: `(.*?)`\n\n(.*?)\n(?=#|\Z)", part + "\n", re.S)
        if m:
            assert m[1] not in found, m[1]
            found[m[1]] = (m[3], m[2], m[4], " ".join(m[5].replace("`", "").split()))
    return found


def meanings():
    """{name: its meaning} as --help has it."""
    text = " ".join(help_text().split("\nEnvironment:\n")[1].split("\nExit status:")[0].split())
    found = {}
    for name, (allowed, default) in variables().items():
        end = re.escape(f"; {allowed}, default {default}")
        m = re.search(rf"(?:^| ){name} ((?:(?! RUNNER_[A-Z_]+ [a-z]).)*?){end}(?: |$)", text)
        found[name] = m[1]
    return found


class Configuration(CliCase):
    def test_every_variable_and_no_other(self):
        wanted = {**variables(), **SYSTEM}
        self.assertEqual({name: s[:2] for name, s in sections().items()}, wanted)

    def test_the_meaning_begins_as_in_the_help(self):
        for name, meaning in meanings().items():
            words = sections()[name][3]
            begin = words[:len(meaning)]
            self.assertEqual(begin[0].lower() + begin[1:], meaning[0].lower() + meaning[1:], name)

    def test_examples_are_good_and_no_defaults(self):
        for name, (_, default, example, _) in sections().items():
            given, value = example.split("=", 1)
            self.assertEqual(given, name)
            self.assertNotEqual(value, default)
            p = call("run", "-c", "print(1)", **{name: value})
            self.assertEqual((p.returncode, p.out), (0, b"1\n"), f"{example}: {p.err}")

    def test_no_variable_is_named_that_is_none(self):
        known = set(variables()) | {"RUNNER_TEST_LAYERS_OFF", "RUNNER_TEST_LANDLOCK_ABI", "RUNNER_TEST_FINALIZE"}
        for path in glob.glob(os.path.join(ROOT, "docs", "*.md")) + glob.glob(os.path.join(ROOT, "*.md")):
            named = set(re.findall(r"\bRUNNER_[A-Z_]*[A-Z]\b", read(path)))
            self.assertEqual(named - known, set(), path)

    def test_defaults_in_the_readme(self):
        rows = re.findall(r"^\| `(RUNNER_\w+)` \| (\S+) \|", read("README.md"), re.M)
        self.assertGreater(len(rows), 3)
        for name, default in rows:
            self.assertEqual(default.strip("`"), variables()[name][1], name)


class Links(CliCase):
    def test_links_lead_somewhere(self):
        """Files, and headings in them."""
        pages = glob.glob(os.path.join(ROOT, "*.md")) + glob.glob(os.path.join(ROOT, "docs", "*.md"))
        self.assertGreater(len(pages), 6)
        for page in pages:
            text = re.sub(r"^```.*?^```", "", read(page), flags=re.S | re.M)
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", link):
                    continue
                file, _, anchor = link.partition("#")
                there = os.path.join(os.path.dirname(page), file) if file else page
                self.assertTrue(os.path.exists(there), f"{page}: {link}")
                if anchor:
                    self.assertIn(anchor, anchors(there), f"{page}: {link}")


def anchors(path):
    found = set()
    for heading in re.findall(r"^#+ (.*)$", read(path), re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return found


if __name__ == "__main__":
    unittest.main()
