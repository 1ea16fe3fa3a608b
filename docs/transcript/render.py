#!/usr/bin/python3
"""render.py [SERVER] > conversation.svg: a conversation with the real server, drawn as it was.

Sends CALLS, as a client would, and draws what went out and what came back, to the letter. Nothing but the request ids and the
durations differs from one time to the next; tests/docs/test_transcript.py looks.
"""
import os
import sys
import textwrap
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))

import mcp  # noqa: E402

CALLS = [
    {"code": 'from collections import Counter\n\nwords = input().split()\nprint(len(words), "words")\n'
             'Counter(words).most_common(2)\n',
     "stdin": "to be or not to be that is the question"},
    {"code": 'import sys\n\nheights = {"Ararat": 5137, "Erciyes": 3917}\n\ndef height(name):\n    if name not in heights:\n'
             '        sys.exit(f"no mountain {name!r}; known: {sorted(heights)}")\n    return heights[name]\n\n'
             'height("Olympus")\n'},
    {"code": 'print("thinking ...")\nwhile True:\n    pass\n', "timeout": 1},
]

WIDTH, LINE, SIZE, PAD, CHAR = 860, 19, 13, 16, 7.83
COLORS = {"header": "#8b949e", "text": "#e6edf3", "exit_code: 0": "#3fb950", "last": "#f0883e"}
STYLE = (f"text{{font:{SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}}"
         ".name{font-weight:bold}")


def converse(server):
    """[(arguments, text of the result)]"""
    with mcp.Client(argv=[server]) as c:
        c.result("tools/list")
        return [(a, c.result("tools/call", {"name": "run_python", "arguments": a})["content"][0]["text"]) for a in CALLS]


def color(line):
    if line.startswith("--- ") and "duration: " in line:
        return COLORS["exit_code: 0" if "exit_code: 0 " in line else "last"]
    return COLORS["header" if line.startswith(("--- ", "[request_id=")) else "text"]


def wrapped(lines):
    most = int((WIDTH - 4 * PAD) / CHAR)
    parts = [textwrap.wrap(line, most, subsequent_indent="    ", drop_whitespace=False) or [""] for line in lines]
    return [part for line in parts for part in line]


class Drawing:
    def __init__(self):
        self.parts, self.y = [], PAD

    def panel(self, name, lines, fill, indent):
        lines = wrapped(lines)
        height = (len(lines) + 1) * LINE + 2 * PAD
        self.parts.append(f'<rect x="{PAD + indent}" y="{self.y}" width="{WIDTH - 2 * PAD - indent}" height="{height}" rx="8" '
                          f'fill="{fill}"/>')
        self.text(name, PAD + indent + PAD, self.y + PAD + SIZE, "#79c0ff", ' class="name"')
        for i, line in enumerate(lines, 1):
            if line:
                self.text(line, PAD + indent + PAD, self.y + PAD + SIZE + i * LINE, color(line))
        self.y += height + PAD // 2

    def text(self, line, x, y, fill, more=""):
        self.parts.append(f'<text x="{x}" y="{y}" fill="{fill}"{more}>{escape(line)}</text>')

    def svg(self):
        height = self.y + PAD // 2
        return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
                          f'height="{height}" role="img" xml:space="preserve">',
                          "<title>Three calls of run_python: a value, an error, a timeout</title>",
                          f"<style>{STYLE}</style>", f'<rect width="{WIDTH}" height="{height}" rx="12" fill="#0d1117"/>',
                          *self.parts, "</svg>", ""])


def main():
    drawing = Drawing()
    for arguments, text in converse(sys.argv[1] if len(sys.argv) > 1 else mcp.SERVER):
        more = [f"{name}: {value}" for name, value in arguments.items() if name != "code"]
        code = arguments["code"].rstrip("\n").split("\n")
        drawing.panel("the model calls run_python", code + ([""] if more else []) + more, "#161b22", 0)
        drawing.panel("and gets back", text.split("\n"), "#1c2430", 3 * PAD)
    sys.stdout.write(drawing.svg())


if __name__ == "__main__":
    main()
