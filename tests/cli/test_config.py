"""RUNNER_* variables: what is taken, what is refused and how."""
import shutil

from cli import *


def accepted(name, value):
    """Whether a value is good, asked without starting anything."""
    p = call("config", "cursor", **{"RUNNER_PYTHON": None, name: value})
    return name in p.out.decode() and "left out" not in p.err


class Values(CliCase):
    def test_the_ends_of_every_range(self):
        ranges = numbers()
        self.assertEqual(len(ranges), 12)
        for name, (low, high, whole) in ranges.items():
            below = str(int(low) - 1) if whole else "0.099"
            above = str(int(high) + 1) if whole else f"{high}.001"
            for value, good in ((low, True), (high, True), (below, False), (above, False)):
                with self.subTest(f"{name}={value}"):
                    self.assertEqual(accepted(name, value), good)

    def test_refused_with_variable_value_and_what_is_allowed(self):
        for name, (allowed, _) in variables().items():
            bad = [" 1", "1x"] + ([] if name == "RUNNER_PRELOAD" else ["abc", "1 "])
            bad += [""] if name not in ("RUNNER_PYTHON", "RUNNER_PRELOAD") else []
            if name in numbers():
                bad += ["-1", "1e1", "0x1", "99999999999999999999999", "nan", "inf", "+1", "1,0"]
                bad += ["1.5"] if numbers()[name][2] else ["1.2.3", "."]
            for value in bad:
                with self.subTest(f"{name}={value}"):
                    self.assert_usage(call(**{name: value}), f"{name}={value}: must be {allowed}")

    def test_values_are_shown_safely(self):
        p = call(RUNNER_MAX_QUEUE="a\nb\x1b[31m\x9b" + "é" * 100)
        self.assert_usage(p, "RUNNER_MAX_QUEUE=a\\x0ab\\x1b[31m\\x9bé", "...: must be")
        self.assertLess(len(p.err), 250)
        env_bytes = {os.fsencode(k): os.fsencode(v) for k, v in env().items()}
        env_bytes[b"RUNNER_MAX_QUEUE"] = b"\xff\xfe"
        p = subprocess.run([BIN], env=env_bytes, capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
        self.assertEqual(p.returncode, 2)
        self.assertIn("RUNNER_MAX_QUEUE=\ufffd\ufffd: must be", p.stderr.decode())

    def test_words(self):
        for name, words in {"RUNNER_STRUCTURED_OUTPUT": ("true", "false", "True", "1", "0", "yes", "off"),
                            "RUNNER_LOG_LEVEL": ("DEBUG", "INFO", "WARNING", "ERROR", "debug"),
                            "RUNNER_LOG_FORMAT": ("text", "json", "JSON")}.items():
            for word in words:
                with self.subTest(f"{name}={word}"):
                    self.assertTrue(accepted(name, word))

    def test_lists_of_modules(self):
        for value in ("numpy", "numpy,pandas", " numpy , os.path,\tjson ", "", " ", "_x.y1", "größe", ",".join(f"m{n}" for n in range(32)), "a,a,b"):
            with self.subTest(value):
                self.assertTrue(accepted("RUNNER_PRELOAD", value))
        for value in (",", "a,", ",a", "a,,b", "a b", "a-b", "1a", ".a", "a.", "a..b", "a.1", "a;b", "a/b", "a\nb", "x" * 200,
                      ",".join(f"m{n}" for n in range(33))):
            with self.subTest(value):
                p = call(RUNNER_PRELOAD=value)
                self.assert_usage(p, "RUNNER_PRELOAD=", ": must be names of modules with commas between them, at most 32")

    def test_every_command_that_runs_programs_looks_at_them(self):
        self.assert_usage(call("run", "-c", "1", RUNNER_MAX_QUEUE="x"), "RUNNER_MAX_QUEUE=x")
        self.assert_usage(call("serve", RUNNER_MAX_QUEUE="x"), "RUNNER_MAX_QUEUE=x")


class Timeouts(CliCase):
    def test_default_above_the_maximum(self):
        self.assert_usage(call(RUNNER_DEFAULT_TIMEOUT_SEC="90"), "RUNNER_DEFAULT_TIMEOUT_SEC=90", "RUNNER_MAX_TIMEOUT_SEC", "60")
        self.assert_usage(call(RUNNER_DEFAULT_TIMEOUT_SEC="3", RUNNER_MAX_TIMEOUT_SEC="2.5"),
                          "RUNNER_DEFAULT_TIMEOUT_SEC=3", "RUNNER_MAX_TIMEOUT_SEC", "2.5")

    def test_a_smaller_maximum_is_the_default_too(self):
        p = call("run", "-c", "while True: pass", RUNNER_MAX_TIMEOUT_SEC="0.2")
        self.assertEqual((p.returncode, p.err), (124, "python-runner-mcp: timeout: killed after 0.2s\n"))

    def test_the_default_is_used(self):
        p = call("run", "-c", "while True: pass", RUNNER_DEFAULT_TIMEOUT_SEC="0.3")
        self.assertEqual((p.returncode, p.err), (124, "python-runner-mcp: timeout: killed after 0.3s\n"))


class Unknown(CliCase):
    def test_a_warning_with_the_name_that_was_meant(self):
        p = call(RUNNER_MAX_TIMOUT_SEC="5")
        self.assertEqual(p.returncode, 0)
        self.assertIn("RUNNER_MAX_TIMOUT_SEC is not a variable", p.err)
        self.assertIn("did you mean RUNNER_MAX_TIMEOUT_SEC?", p.err)

    def test_the_value_is_not_shown(self):
        p = call(RUNNER_CANARY="hunter2")
        self.assertEqual(p.returncode, 0)
        self.assertIn("RUNNER_CANARY is not a variable", p.err)
        self.assertNotIn("hunter2", p.err)
        self.assertNotIn("did you mean", p.err)

    def test_others_are_none_of_our_business(self):
        self.assertNotIn("MY_RUNNER", call(MY_RUNNER_X="1", RUNNERS="2").err)


class Interpreter(CliCase):
    def test_faults(self):
        folder = self.folder()
        plain = self.file("#!/bin/sh\n", "plain")
        for value, reason in ((folder, "it is a directory"), (plain, "not executable"), ("/no/such/python", "no such file"),
                              ("no-such-python", "not found on PATH"), ("~/bin/python", "~ is not expanded"), ("/dev/null", "not executable")):
            with self.subTest(value):
                self.assert_usage(call(RUNNER_PYTHON=value), f"RUNNER_PYTHON={value}: must be a CPython executable", reason)

    def test_none_on_the_path(self):
        self.assert_usage(call(RUNNER_PYTHON=None, PATH=self.folder()), "RUNNER_PYTHON is not set", "python3 was not found on PATH")

    def test_an_empty_one_is_none(self):
        """As a form in which that field was left empty hands it on."""
        p = call("run", "-c", "import sys; print(sys.executable)", RUNNER_PYTHON="", PATH=os.path.dirname(PYTHON) + ":/usr/bin:/bin")
        self.assertEqual((p.returncode, p.out.decode()), (0, PYTHON + "\n"), p.err)
        self.assert_usage(call(RUNNER_PYTHON="", PATH=self.folder()), "RUNNER_PYTHON is not set")
        p = call("config", "cursor", RUNNER_PYTHON="")
        self.assertNotIn(b"RUNNER_PYTHON", p.out)
        self.assertNotIn("left out", p.err)

    def test_what_is_no_python(self):
        for value in ("/bin/true", "/bin/false", "/bin/cat", "/bin/sleep"):
            with self.subTest(value):
                begun = time.monotonic()
                p = call(RUNNER_PYTHON=value, RUNNER_LOG_LEVEL="ERROR")
                self.assertEqual((p.returncode, p.out), (2, b""), p.err)
                self.assertIn("RUNNER_PYTHON", p.err)
                self.assertIn(value, p.err)
                self.assertLess(time.monotonic() - begun, 20 * SLOW)

    def test_a_shim_with_nothing_behind_it(self):
        """What was not found stands on the first line of what it says, and advice on the others."""
        folder = self.folder()
        shim = os.path.join(folder, "python3")
        with open(shim, "w") as f:
            f.write("#!/bin/sh\necho \"shim: $0: command not found\" >&2; echo >&2; echo 'Note: a long story' >&2; exit 127\n")
        os.chmod(shim, 0o755)
        for given, said in ((shim, f"RUNNER_PYTHON={shim}: "), (None, f"RUNNER_PYTHON is not set, and python3 on PATH is {shim}: ")):
            p = call(RUNNER_PYTHON=given, PATH=f"{folder}:/usr/bin:/bin", RUNNER_LOG_LEVEL="ERROR")
            self.assert_usage(p, said + "can't be used: it ended with exit code 127: shim:", "command not found;")
            self.assertNotIn("story", p.err)

    def test_name_path_relative_and_link(self):
        folder = self.folder()
        os.symlink(PYTHON, os.path.join(folder, "my python"))
        code = "import sys; print(sys.version_info[0])"
        for value, more in (("my python", {"PATH": folder + ":/usr/bin:/bin"}), (os.path.join(folder, "my python"), {}),
                            ("./my python", {"cwd": folder}), ("my python", {"PATH": ":/usr/bin", "cwd": folder})):
            p = call("run", "-c", code, RUNNER_PYTHON=value, **more)
            self.assertEqual((p.returncode, p.out), (0, b"3\n"), p.err)

    def test_a_virtual_environment(self):
        folder = os.path.join(self.folder(), "venv")
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", folder], check=True, timeout=LIMIT)
        p = call("run", "-c", "import sys; print(sys.executable)", RUNNER_PYTHON=os.path.join(folder, "bin", "python"))
        self.assertEqual((p.returncode, p.out.decode()), (0, os.path.join(folder, "bin", "python") + "\n"), p.err)


class Places(CliCase):
    def test_temporary_directory(self):
        plain = self.file("", "plain")
        for value in ("/no/such/directory", plain):
            self.assert_usage(call(TMPDIR=value), f"TMPDIR={value}", "directory")
        deep = os.path.join(self.folder(), "d" * 200, "d" * 200)
        os.makedirs(deep)
        self.assert_usage(call(TMPDIR=deep), "shorter than")
        folder = self.folder()
        for value, more in ((folder, {}), (".", {"cwd": folder}), ("", {})):
            p = call("run", "-c", "import os; print(os.getcwd())", TMPDIR=value, RUNNER_SANDBOX="rlimits", **more)
            self.assertEqual(p.returncode, 0, p.err)
            self.assertTrue(p.out.decode().startswith(os.path.realpath(folder if value else "/tmp")), p.out)
        self.assertEqual(os.listdir(folder), [])

    def test_a_program_without_its_files(self):
        alone = os.path.join(self.folder(), "python-runner-mcp")
        shutil.copy(BIN, alone)
        self.assert_usage(call(binary=alone), alone, "main.py", "install or build it again")

    def test_a_program_that_was_moved_with_its_files(self):
        binary = copy_program(self.folder())
        p = call("run", "-c", "print('moved')", binary=binary)
        self.assertEqual((p.returncode, p.out), (0, b"moved\n"), p.err)

    def test_called_through_a_link_and_through_the_path(self):
        folder = self.folder()
        link = os.path.join(folder, "runner")
        os.symlink(BIN, link)
        self.assertEqual(call("run", "-c", "print(1)", binary=link).out, b"1\n")
        p = subprocess.run(["runner", "run", "-c", "print(2)"], env=env(PATH=folder + ":/usr/bin:/bin"), capture_output=True, timeout=LIMIT)
        self.assertEqual(p.stdout, b"2\n", p.stderr)


if __name__ == "__main__":
    unittest.main()
