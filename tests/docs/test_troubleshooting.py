"""docs/TROUBLESHOOTING.md has an entry for each text that the program can print, and for no other."""
import os
import re
import unittest

from texts import ROOT, SILENT, texts

PAGE = os.path.join(ROOT, "docs", "TROUBLESHOOTING.md")


def entries():
    """[(text, what it means)]: the rows of the tables whose first column is of texts."""
    with open(PAGE, encoding="utf-8") as f:
        lines = f.read().splitlines()
    found, inside = [], False
    for line in lines:
        if re.match(r"\| (text|step) \|", line):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            assert len(cells) == 2, line
            for text in cells[0].split("<br>"):
                m = re.fullmatch(r"`` (.+) ``|`([^`]+)`", text)
                assert m, f"no code: {text}"
                found.append(((m[1] or m[2]).replace(r"\|", "|"), cells[1]))
    return found


class Troubleshooting(unittest.TestCase):
    def test_every_text_has_an_entry(self):
        known = {text for text, _ in entries()}
        lacking = [f"{where}: {text}" for text, where in texts().items() if text not in known]
        self.assertEqual(lacking, [], "say in docs/TROUBLESHOOTING.md what these mean and what to do:\n" + "\n".join(lacking))

    def test_no_entry_is_of_a_text_that_is_gone(self):
        known = texts()
        self.assertEqual([text for text, _ in entries() if text not in known], [])

    def test_each_text_once_and_with_words(self):
        found = [text for text, _ in entries()]
        self.assertEqual(sorted(found), sorted(set(found)))
        self.assertGreater(len(found), 200)
        for text, words in entries():
            self.assertGreater(len(words), 10, text)

    def test_what_is_left_out_is_there(self):
        """A pattern that leaves nothing out hides what is to come."""
        for file, patterns in SILENT.items():
            with open(os.path.join(ROOT, file), encoding="utf-8") as f:
                self.assertTrue(f.read())
            if patterns is None:
                continue
            SILENT[file] = []
            try:
                loud = [text for text, where in texts().items() if where.startswith(file + ":")]
            finally:
                SILENT[file] = patterns
            for pattern in patterns:
                self.assertTrue(any(re.search(pattern, text) for text in loud), f"{file}: {pattern}")


if __name__ == "__main__":
    unittest.main()
