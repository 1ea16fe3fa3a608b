"""`meson install` with a prefix and directories of one's own, and only what is needed at run time."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from cli import *  # noqa: E402


class Prefix(CliCase):
    def test_it_works_without_sources_and_build(self):
        build = os.path.join(self.folder(), "build")
        quiet = {"check": True, "timeout": 4 * LIMIT, "stdout": subprocess.DEVNULL}
        subprocess.run(["meson", "setup", build, ROOT, "--prefix=/opt/runner", "--bindir=programs", "--libdir=parts/here",
                        "-Dzsh_completions=share/elsewhere"], **quiet)
        subprocess.run(["ninja", "-C", build, "server"], **quiet)
        there = self.folder()
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--tags", "runtime", "--quiet", "--destdir", there],
                       **quiet)
        self.assertEqual(os.listdir(there), ["opt"])
        shutil.rmtree(build)
        tree = os.path.join(there, "opt", "runner")
        self.assertEqual(sorted(os.listdir(os.path.join(tree, "parts", "here", "python-runner-mcp"))),
                         ["_python_runner.abi3.so", "main.py"])
        p = call("run", "-c", "print('installed')", binary=os.path.join(tree, "programs", "python-runner-mcp"))
        self.assertEqual((p.returncode, p.out), (0, b"installed\n"), p.err)


if __name__ == "__main__":
    unittest.main()
