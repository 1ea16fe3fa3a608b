"""dpkg-buildpackage, twice and alike; lintian; the package installed, used, removed and purged on a machine of its own."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))

import machine
import mcp
import procs

ROOT = mcp.ROOT
NAME = "python-runner-mcp"
PROFILE = "/etc/apparmor.d/" + NAME
ENV = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent"}
BUILDER = 61308


def sources():
    p = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                       cwd=ROOT, check=True, capture_output=True)
    return [f for f in map(os.fsdecode, p.stdout.split(b"\0")) if f and os.path.exists(os.path.join(ROOT, f))]


def copy_sources(to, backwards=False, umask=0o022):
    """As a checkout under that umask; newer files and another order in the directories when backwards."""
    old = os.umask(umask)
    try:
        for i, file in enumerate(sorted(sources(), reverse=backwards)):
            there = os.path.join(to, file)
            os.makedirs(os.path.dirname(there), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, file), there)
            os.chmod(there, (0o777 if os.access(os.path.join(ROOT, file), os.X_OK) else 0o666) & ~umask)
            if backwards:
                os.utime(there, (1 << 30, (1 << 30) + 3600 * i))
    finally:
        os.umask(old)


def logged(argv, log, **more):
    with open(log, "w") as f:
        p = subprocess.run(argv, stdout=f, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **more)
    if p.returncode:
        with open(log, errors="replace") as f:
            raise AssertionError(f"{argv} ended with {p.returncode}:\n{f.read()[-3000:]}")


def build_package(folder, umask=0o022, backwards=False, **more):
    """The folder with what dpkg-buildpackage made."""
    tree = os.path.join(folder, "source")
    os.makedirs(folder)
    copy_sources(tree, backwards, umask)
    owner = {}
    if backwards and os.geteuid() == 0:
        subprocess.run(["chown", "-R", f"{BUILDER}:{BUILDER}", folder], check=True)
        owner = {"user": BUILDER, "group": BUILDER, "extra_groups": []}
    logged(["dpkg-buildpackage", "-b", "-us", "-uc"], os.path.join(folder, "log"), cwd=tree, umask=umask, env={**ENV, **more},
           **owner)
    return folder


class Package(unittest.TestCase):
    limit_seconds = 500

    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="runner-package-")
        os.chmod(cls.top, 0o755)
        cls.addClassCleanup(shutil.rmtree, cls.top)
        # The unit tests are a suite of their own; as dpkg-buildpackage runs them they are with --all.
        cls.first = build_package(os.path.join(cls.top, "first"), DEB_BUILD_OPTIONS="" if os.environ.get("TEST_ALL") else "nocheck")
        cls.other = build_package(os.path.join(cls.top, "quite", "another-place"), 0o077, True, LC_ALL="C",
                                  TZ="Pacific/Kiritimati", DEB_BUILD_OPTIONS="nocheck parallel=1", HOME=cls.top,
                                  USER="somebody", PATH=ENV["PATH"] + ":/usr/games")

    def made(self, folder, pattern):
        (path,) = glob.glob(os.path.join(glob.escape(folder), pattern))
        return path

    def assert_same(self, a, b):
        p = subprocess.run(["cmp", a, b], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)

    # -- what is built

    def test_two_packages_are_alike(self):
        for pattern in (NAME + "_*.deb", NAME + "-dbgsym_*.deb"):
            self.assert_same(self.made(self.first, pattern), self.made(self.other, pattern))

    def test_two_builds_are_alike(self):
        """The build of the tests, and one of other sources elsewhere, made outside of them, by another umask."""
        tree, build = os.path.join(self.top, "a b", "c", "tree"), os.path.join(self.top, "built")
        copy_sources(tree, True, 0o077)
        log = os.path.join(self.top, "log")
        env = {**ENV, "LC_ALL": "C", "TZ": "Pacific/Kiritimati"}
        logged(["meson", "setup", build, tree], log, env=env, umask=0o077)
        logged(["ninja", "-j2", "-C", build, "server"], log, env=env, umask=0o077)
        ours = os.path.dirname(mcp.SERVER)
        for file in (NAME, "src/template/_python_runner.abi3.so", "src/template/main.py"):
            self.assert_same(os.path.join(ours, file), os.path.join(build, file))

    def test_nothing_was_warned_of(self):
        for folder in (self.first, self.other):
            with open(os.path.join(folder, "log"), errors="replace") as f:
                self.assertNotRegex(f.read(), r"(?i)\bwarning:")

    def test_lintian(self):
        p = subprocess.run(["lintian", "--allow-root", "--info", "--display-info", "--display-experimental", "--pedantic",
                            "--fail-on=error,warning,info,pedantic,experimental", self.made(self.first, "*.changes")],
                           capture_output=True, text=True, env=ENV)
        self.assertEqual((p.returncode, p.stdout), (0, ""), p.stderr)

    def test_each_override_has_a_reason(self):
        with open(os.path.join(ROOT, "debian", NAME + ".lintian-overrides")) as f:
            lines = f.read().splitlines()
        for before, line in zip([""] + lines, lines):
            if not line.startswith("#"):
                self.assertRegex(before, r"\A# .{30}", line)

    def test_versions_are_the_same(self):
        more = {"cwd": ROOT, "capture_output": True, "text": True, "check": True}
        version = subprocess.run(["dpkg-parsechangelog", "-S", "Version"], **more).stdout.strip()
        self.assertEqual(subprocess.run([mcp.SERVER, "--version"], **more).stdout, f"{NAME} {version}\n")

    # -- what is installed: one after the other on one machine

    def test_installed_used_removed_and_purged(self):
        self.assertEqual(os.geteuid(), 0, "a machine of its own is made by root")
        self.m = machine.Machine()
        self.addCleanup(self.m.close)
        shutil.copy(self.made(self.first, NAME + "_*.deb"), self.m.path("/var/cache/package.deb"))
        before = self.m.files()
        self.apt("install", "/var/cache/package.deb")
        for user in (False, True):
            with self.subTest(user=user):
                self.use(user)
        self.the_tests_of_the_package()
        self.apparmor_is_too_old()
        self.apt("remove", NAME)
        self.assertEqual(set(self.m.files()) - set(before), set())
        self.apt("install", "/var/cache/package.deb")
        self.apparmor_knows_it()
        self.apt("purge", NAME)
        self.assertEqual(self.changed(before), {})
        self.assertNotIn(NAME, self.m.run("dpkg", "-l").stdout)

    def apt(self, *args):
        p = self.m.run("apt-get", "-q", "-y", *args)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertNotRegex(p.stdout + p.stderr, r"(?i)\b(warning|error)\b(?! messages)")

    def changed(self, before):
        now = self.m.files()
        ours = {"/var/lib/ucf/"}  # ucf's books, of which it keeps a copy of the last
        return {f: (before.get(f), now.get(f)) for f in set(before) | set(now)
                if before.get(f) != now.get(f) and not any(f.startswith(x) for x in ours)}

    def use(self, user):
        p = self.m.run(NAME, "run", "-c", "print(sum(range(10)))", user=user)
        self.assertEqual((p.returncode, p.stdout, p.stderr), (0, "45\n", ""))
        p = self.m.run(NAME, "doctor", user=user)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertIn("sandbox: full\n", p.stdout)
        env = self.m.env(RUNNER_PYTHON="python3", TMPDIR="/tmp")
        with mcp.Client(env, argv=self.m.argv([NAME], user), tmp=tempfile.mkdtemp(prefix="runner-test-")) as c:
            outcome = c.run("import os, sys\nprint(sys.executable)\nos.listdir('.')")
            self.assertEqual((outcome.stdout, outcome.result), ("/usr/bin/python3\n", "['main.py']\n"))
            self.assertEqual(c.run("while True: pass", timeout=0.5).status, "timeout")
            inside = procs.descendants(c.pid)
        self.assertEqual([p for p in inside if procs.stat(p)], [])

    def the_tests_of_the_package(self):
        """debian/tests, as autopkgtest runs them."""
        shutil.copytree(os.path.join(ROOT, "debian", "tests"), self.m.path("/var/cache/tests"))
        with open(os.path.join(ROOT, "debian", "tests", "control")) as f:
            tests = {part.split()[1]: "allow-stderr" in part for part in f.read().split("\n\n")}
        self.assertEqual(sorted([*tests, "control"]), sorted(os.listdir(self.m.path("/var/cache/tests"))))
        for name, may_log in tests.items():
            for user in (False, True):
                folder = self.m.path(f"/tmp/{name}-{user}")
                os.mkdir(folder)
                os.chmod(folder, 0o777)
                p = self.m.run(f"/var/cache/tests/{name}", user=user, AUTOPKGTEST_TMP=folder[len(self.m.root):])
                self.assertEqual((p.returncode, "" if may_log else p.stderr), (0, ""), name + p.stdout + p.stderr)
                shutil.rmtree(folder)

    def apparmor_is_too_old(self):
        self.assertFalse(os.path.exists(self.m.path(PROFILE)))

    def apparmor_knows_it(self):
        """With the abi of AppArmor 4.0 the profile is put in place; what the user changed in it stays."""
        os.makedirs(self.m.path("/etc/apparmor.d/abi"))
        with open(self.m.path("/etc/apparmor.d/abi/4.0"), "w"):
            pass
        self.apt("install", "--reinstall", "/var/cache/package.deb")
        with open(self.m.path(PROFILE)) as f, open(os.path.join(ROOT, "deploy", "apparmor", NAME)) as ours:
            self.assertEqual(f.read(), ours.read())
        self.assertTrue(os.path.exists(self.m.path("/etc/apparmor.d/local/" + NAME)))
        with open(self.m.path(PROFILE), "a") as f:
            f.write("# mine\n")
        self.apt("install", "--reinstall", "/var/cache/package.deb")
        with open(self.m.path(PROFILE)) as f:
            self.assertIn("# mine\n", f.read())
        shutil.rmtree(self.m.path("/etc/apparmor.d/abi"))


if __name__ == "__main__":
    unittest.main()
