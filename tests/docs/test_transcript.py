"""The picture in the README is of what the server really says."""
import os
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))

import mcp

FOLDER = os.path.join(mcp.ROOT, "docs", "transcript")


def alike(svg):
    """Without what differs from run to run, and from tier to tier (the place of main.py)."""
    svg = re.sub(r"\[request_id=[0-9a-f]{8}\]", "[request_id=ID]", svg)
    svg = re.sub(r'File "[^"]*/main\.py"', 'File "main.py"', svg)
    return re.sub(r"duration: \d+\.\d{3}s", "duration: S", svg)


class Transcript(unittest.TestCase):
    def test_it_is_what_the_server_says(self):
        p = subprocess.run([mcp.PYTHON, os.path.join(FOLDER, "render.py"), mcp.SERVER], capture_output=True, text=True,
                           timeout=100)
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(os.path.join(FOLDER, "conversation.svg"), encoding="utf-8") as f:
            kept = f.read()
        self.assertEqual(alike(kept), alike(p.stdout),
                         "make it anew: docs/transcript/render.py > docs/transcript/conversation.svg")
        self.assertNotEqual(alike(kept), kept)

    def test_it_is_good_xml_and_within_its_frame(self):
        root = xml.etree.ElementTree.parse(os.path.join(FOLDER, "conversation.svg")).getroot()
        width, height = int(root.get("width")), int(root.get("height"))
        texts = [e for e in root if e.tag.endswith("}text")]
        self.assertGreater(len(texts), 20)
        for e in texts:
            self.assertLess(int(e.get("y")), height)
            self.assertLess(int(e.get("x")) + 7.83 * len(e.text), width)

    def test_it_is_shown(self):
        for page in ("README.md", "README.tr.md"):
            with open(os.path.join(mcp.ROOT, page), encoding="utf-8") as f:
                self.assertIn("](docs/transcript/conversation.svg)", f.read())


if __name__ == "__main__":
    unittest.main()
