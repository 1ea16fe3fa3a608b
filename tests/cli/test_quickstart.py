"""quickstart.sh on a copy of the checkout, in a folder with spaces, as an ordinary user."""
import json
import shutil
import stat

from cli import *

BUILD_LIMIT = 300 * SLOW


class Quickstart(CliCase):
    limit_seconds = 600
    alone = True

    @classmethod
    def setUpClass(cls):
        import tempfile
        cls.top = tempfile.mkdtemp(prefix="runner quickstart ")
        os.chmod(cls.top, 0o755)
        cls.copy = os.path.join(cls.top, "a checkout")
        for name in cls.sources():
            source, there = os.path.join(ROOT, name), os.path.join(cls.copy, name)
            if os.path.isfile(source):
                os.makedirs(os.path.dirname(there), exist_ok=True)
                shutil.copy(source, there)
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", cls.copy], check=True)
        cls.first = cls.quickstart()

    @staticmethod
    def sources():
        """What belongs to the project: git knows, and of an unpacked archive it is everything but a build."""
        p = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True)
        if p.returncode == 0:
            return [os.fsdecode(name) for name in p.stdout.split(b"\0") if name]
        found = []
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [f for f in folders if f not in ("node_modules", "__pycache__") and not f.startswith("build")]
            found += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
        return found

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.top, ignore_errors=True)

    @classmethod
    def quickstart(cls, *args, argv=None, user=True, **more):
        variables = {k: more.pop(k) for k in list(more) if k.isupper()}
        command = argv or [os.path.join(cls.copy, "quickstart.sh")]
        values = {"HOME": "/nonexistent", "TMPDIR": "/tmp", "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "RUNNER_PYTHON": None, **variables}
        return subprocess.run((as_user if user else list)([*command, *args]), env=env(**values), cwd=more.pop("cwd", "/"), capture_output=True, text=True,
                              timeout=BUILD_LIMIT, stdin=subprocess.DEVNULL)

    def check(self, p, *wanted):
        self.assertEqual(p.returncode, 0, p.stderr[-3000:])
        text, _, config = p.stdout.partition("\n{")
        for line in wanted:
            self.assertIn(line, text)
        self.assertRegex(text, r"\A\[request_id=[0-9a-f]{8}\]\n")
        entry = json.loads("{" + config)["mcpServers"]["python-runner"]
        self.assertEqual(entry["command"], os.path.join(self.copy, "build", "python-runner-mcp"))

    def test_the_first_time(self):
        self.check(self.first, "--- stdout ---\n45\n", "exit_code: 0")
        self.assertIn("claude_desktop_config.json", self.first.stderr)
        self.assertNotIn("apt-get", self.first.stderr)

    def test_again_with_other_code_from_elsewhere(self):
        for code, want in (("print('a' * 3)\n'it''s'", "aaa\n"), ("1/0", "ZeroDivisionError"), ("print('é ☃')", "é ☃\n"), ("print('''\"$HOME\" `x` \\\\''')", '"$HOME" `x` \\\n')):
            with self.subTest(code):
                self.check(self.quickstart(code, cwd="/tmp"), want)
        self.check(self.quickstart(argv=["bash", "a checkout/quickstart.sh"], cwd=self.top), "45\n")

    def test_options_of_an_existing_build_are_kept(self):
        build = os.path.join(self.copy, "build")
        subprocess.run(as_user(["meson", "configure", build, "-Dbuildtype=debug"]), check=True, timeout=LIMIT, env=env(HOME="/nonexistent", PATH="/usr/bin:/bin"), stdout=subprocess.DEVNULL, cwd="/")
        self.check(self.quickstart(), "45\n")
        with open(os.path.join(build, "meson-info", "intro-buildoptions.json")) as f:
            self.assertEqual(next(o["value"] for o in json.load(f) if o["name"] == "buildtype"), "debug")

    def test_a_moved_checkout(self):
        cls = type(self)
        moved = os.path.join(cls.top, "moved to $HOME")
        old = cls.copy
        os.rename(old, moved)
        cls.copy = moved
        try:
            p = self.quickstart()
            self.check(p, "45\n")
            self.assertIn("Making", p.stderr)
        finally:
            os.rename(moved, old)
            cls.copy = old

    def test_no_output_where_there_should_be_none(self):
        """A failure has a status and a sentence."""
        source = os.path.join(self.copy, "src", "main", "main.c")
        with open(source) as f:
            good = f.read()
        try:
            with open(source, "w") as f:
                f.write(good + "\n#error broken\n")
            p = self.quickstart()
            self.assertEqual((p.returncode, p.stdout), (1, ""))
            self.assertIn("quickstart.sh: the build failed", p.stderr)
        finally:
            with open(source, "w") as f:
                f.write(good)
        self.check(self.quickstart(), "45\n")
        p = self.quickstart(RUNNER_MAX_QUEUE="x")
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        self.assertIn("RUNNER_MAX_QUEUE=x: must be", p.stderr)
        self.assertIn("quickstart.sh: the server ended", p.stderr)

    def tools(self, *without):
        """A PATH with what is on ours, but for some."""
        folder = self.folder()
        for place in ("/usr/bin", "/usr/sbin"):
            for name in os.listdir(place):
                link = os.path.join(folder, name)
                if name not in without and not os.path.lexists(link):
                    os.symlink(os.path.join(place, name), link)
        return folder

    def script(self, folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)

    def test_a_python3_that_does_not_work(self):
        """The build that is there stays, and the sentence names the script."""
        made = os.path.join(self.copy, "build", "build.ninja")
        before = os.stat(made)
        for text in ("echo Python 2.7.18; exit 1\n", "exit 0\n", "exit 127\n"):
            with self.subTest(text):
                folder = self.folder()
                self.script(folder, "python3", text)
                p = self.quickstart(PATH=f"{folder}:/usr/bin:/bin")
                self.assertEqual((p.returncode, p.stdout), (1, ""), p.stderr[-3000:])
                self.assertIn(f"quickstart.sh: {folder}/python3, which is python3 on PATH, does not work", p.stderr)
                self.assertEqual(os.stat(made).st_ino, before.st_ino)

    def test_something_missing_and_no_way_to_install_it(self):
        p = self.quickstart(PATH=self.tools("meson", "apt-get"))
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        self.assertIn("Missing: meson", p.stderr)
        self.assertIn("no apt-get", p.stderr)
        p = self.quickstart(PATH=self.tools("meson", "ninja", "sudo"))
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        self.assertIn("Missing: meson ninja", p.stderr)
        self.assertIn("there is no sudo", p.stderr)
        self.assertIn("apt-get install meson ninja-build", p.stderr)

    def test_what_is_missing_is_installed_through_sudo(self):
        """The installer is a stand-in here, since a test does not change the machine; what it is told is looked at."""
        path = self.tools("meson", "apt-get", "sudo")
        told = os.path.join(path, "told")
        open(told, "w").close()
        os.chmod(told, 0o666)
        os.chmod(path, 0o777)
        self.script(path, "sudo", f'echo "sudo $*" >>"{told}"\nexec "$@"\n')
        self.script(path, "apt-get", f'[ "$1" = update ] || ln -s /usr/bin/meson "{path}/meson"\n')
        self.check(self.quickstart(PATH=path), "45\n")
        with open(told) as f:
            calls = f.read().splitlines()
        self.assertEqual(calls[0], "sudo apt-get update -q")
        self.assertRegex(calls[1], r"^sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends meson ninja-build gcc ")
        self.assertEqual(len(calls), 2)


if __name__ == "__main__":
    unittest.main()
