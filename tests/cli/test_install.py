"""`meson install`, and the installed tree moved elsewhere."""
import json
import re
import shutil

from cli import *

BUILD = os.path.dirname(os.path.abspath(BIN))


def prefix():
    with open(os.path.join(BUILD, "meson-info", "intro-buildoptions.json")) as f:
        return next(o["value"] for o in json.load(f) if o["name"] == "prefix")


class Install(CliCase):
    def installed(self):
        there = self.folder()
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", there], check=True, timeout=LIMIT,
                       stdout=subprocess.DEVNULL)
        return there + prefix()

    def test_what_is_installed(self):
        tree = self.installed()
        files = sorted(os.path.relpath(os.path.join(d, f), tree) for d, _, names in os.walk(tree) for f in names)
        text = "\n".join(files)
        self.assertIn("bin/python-runner-mcp", files)
        self.assertTrue(any(re.fullmatch(r"share/man/man1/python-runner-mcp\.1(\.gz)?", f) for f in files), text)
        ours = [f for f in files if re.fullmatch(r"lib(/[^/]+)?/python-runner-mcp/[^/]+", f)]
        self.assertEqual(len(ours) + 2, len(files), text)
        self.assertTrue(any(f.endswith("/main.py") for f in ours), text)
        self.assertTrue(any(f.endswith(".abi3.so") for f in ours), text)

    def test_it_works_wherever_it_is_moved(self):
        moved = os.path.join(self.folder(), "somewhere else")
        shutil.move(self.installed(), moved)
        subprocess.run(["chmod", "-R", "a+rX", moved], check=True)
        binary = os.path.join(moved, "bin", "python-runner-mcp")
        p = call("run", "-c", "print('installed')", binary=binary)
        self.assertEqual((p.returncode, p.out), (0, b"installed\n"), p.err)
        p = subprocess.run(as_user([binary, "run", "-c", "print('for all')"]), env=env(HOME="/", TMPDIR="/tmp"), capture_output=True,
                           timeout=LIMIT, cwd="/", stdin=subprocess.DEVNULL)
        self.assertEqual(p.stdout, b"for all\n", p.stderr)
        self.assertEqual(json.loads(call("config", "cursor", binary=binary).out)["mcpServers"]["python-runner"]["command"], binary)

    def test_no_path_of_the_build_is_in_it(self):
        with open(BIN, "rb") as f:
            data = f.read()
        # Debug information names its sources; what the program itself uses does not.
        stripped = self.file(data, "stripped")
        subprocess.run(["strip", stripped], check=True, timeout=LIMIT)
        with open(stripped, "rb") as f:
            self.assertNotIn(ROOT.encode(), f.read())


if __name__ == "__main__":
    unittest.main()
