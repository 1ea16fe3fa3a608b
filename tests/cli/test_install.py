"""`meson install`, and the installed tree moved elsewhere."""
import glob
import json
import shutil

from cli import *

BUILD = os.path.dirname(os.path.abspath(BIN))


def prefix():
    with open(os.path.join(BUILD, "meson-info", "intro-buildoptions.json")) as f:
        return next(o["value"] for o in json.load(f) if o["name"] == "prefix")


class Install(CliCase):
    def installed(self):
        there = self.folder()
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", there], check=True,
                       timeout=LIMIT, stdout=subprocess.DEVNULL)
        return there + prefix()

    def test_what_is_installed(self):
        tree = self.installed()
        files = sorted(os.path.relpath(os.path.join(d, f), tree) for d, _, names in os.walk(tree) for f in names)
        wanted = [r"bin/python-runner-mcp", r"lib(/[^/]+)?/python-runner-mcp/_python_runner\.abi3\.so",
                  r"lib(/[^/]+)?/python-runner-mcp/main\.py", r"share/bash-completion/completions/python-runner-mcp",
                  r"share/fish/vendor_completions\.d/python-runner-mcp\.fish",
                  r"share/man/man1/python-runner-mcp\.1(\.gz)?", r"share/python-runner-mcp/apparmor/python-runner-mcp",
                  r"share/python-runner-mcp/seccomp/python-runner-mcp\.json", r"share/zsh/site-functions/_python-runner-mcp"]
        self.assertEqual(len(files), len(wanted), files)
        for file, pattern in zip(files, wanted):
            self.assertRegex(file, rf"\A{pattern}\Z")

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
        """Not even in the debug information, and the loader is told of no place but the system's."""
        for file in (BIN, *glob.glob(os.path.join(BUILD, "src", "template", "*.so"))):
            with open(file, "rb") as f:
                data = f.read()
            self.assertIn(b"ELF", data[:4])
            for path in (ROOT, BUILD):
                self.assertFalse(os.fsencode(path + "/") in data, f"{path} is in {file}")
            p = subprocess.run(["readelf", "--wide", "--dynamic", file], capture_output=True, text=True, check=True,
                               timeout=LIMIT)
            self.assertIn("NEEDED", p.stdout)
            self.assertNotRegex(p.stdout, "RPATH|RUNPATH")


if __name__ == "__main__":
    unittest.main()
