"""Commands, options, --help, the man page."""
import json
import re

from cli import *


class Help(CliCase):
    def test_version(self):
        for option in ("--version", "-V"):
            p = call(option)
            self.assertRegex(p.out, rb"\Apython-runner-mcp \d+\.\d+\.\d+\n\Z")
            self.assertEqual((p.returncode, p.err), (0, ""))

    def test_help(self):
        p = call("--help")
        self.assertEqual((p.returncode, p.err), (0, ""))
        self.assertEqual(call("-h").out, p.out)
        self.assertEqual(call("run", "--help").out, p.out)
        self.assertLessEqual(max(map(len, p.out.decode().splitlines())), 105)
        for word in ("serve", "run", "config", "doctor", "-c CODE", "--timeout S", "--format FORMAT", "--json", "--version",
                     "claude-desktop", "124", "125", "128+N"):
            self.assertIn(word, p.out.decode())

    def test_every_variable_of_the_product_is_in_the_help(self):
        self.assertEqual(
            {name: default for name, (_, default) in variables().items()},
            {"RUNNER_DEFAULT_TIMEOUT_SEC": "10", "RUNNER_MAX_TIMEOUT_SEC": "60", "RUNNER_MAX_OUTPUT_CHARS": "20000",
             "RUNNER_MAX_MEMORY_MB": "256", "RUNNER_MAX_CPU_SECONDS": "10", "RUNNER_MAX_PROCESSES": "32",
             "RUNNER_MAX_FILE_SIZE_MB": "10", "RUNNER_MAX_CONCURRENT": "4", "RUNNER_LOG_LEVEL": "INFO",
             "RUNNER_WARM_WORKERS": "4", "RUNNER_PYTHON": "python3", "RUNNER_MAX_QUEUE": "256", "RUNNER_MAX_REQUEST_MB": "16",
             "RUNNER_SITE_PACKAGES": "false", "RUNNER_PRELOAD": "none", "RUNNER_TEMPLATE_MAX_RUNS": "1000",
             "RUNNER_STRUCTURED_OUTPUT": "false", "RUNNER_SANDBOX": "auto", "RUNNER_LOG_FORMAT": "text"})

    def test_help_that_can_not_be_written(self):
        with open("/dev/full", "wb") as full:
            p = subprocess.run([BIN, "--help"], stdout=full, stderr=subprocess.PIPE, timeout=LIMIT)
        self.assertEqual(p.returncode, 125)
        self.assertIn(b"can't write", p.stderr)


class ManPage(CliCase):
    def setUp(self):
        with open(os.path.join(ROOT, "man", "python-runner-mcp.1"), encoding="utf-8") as f:
            self.page = f.read().replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "")

    def test_every_option_command_and_status(self):
        text = help_text()
        words = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", text.split("\nEnvironment:")[0])) | set(re.findall(r"^  (\w+) ", text, re.M))
        self.assertGreater(len(words), 10)
        for word in sorted(words) + ["124", "125", "152", "141"]:
            self.assertIn(word, self.page)
        for client in re.search(r"^Clients: (.*)$", text, re.M)[1].split(", "):
            self.assertIn(client, self.page)

    def test_every_variable_with_default_and_range(self):
        ranges = numbers()
        for name, (allowed, default) in variables().items():
            m = re.search(rf"^\.BR {name} \" \((.*)\)\"$", self.page, re.M)
            self.assertTrue(m, f"{name} has no entry in the man page")
            want = {"RUNNER_PYTHON": default}.get(name, f"{default}; {allowed}")
            if name in ranges:
                want = f"{default}; {ranges[name][0]} to {ranges[name][1]}"
            self.assertEqual(m[1], want, name)

    def test_no_variable_too_many(self):
        self.assertEqual(set(re.findall(r"\bRUNNER_[A-Z_]+\b", self.page)), set(variables()))


class Refused(CliCase):
    def test_commands(self):
        self.assert_usage(call("frobnicate"), "unknown command frobnicate", "serve, run, config, doctor", "--help")
        self.assert_usage(call("srve"), "did you mean serve?")
        self.assert_usage(call(""), "unknown command")
        self.assert_usage(call("a\nb\x1b[31m" + "x" * 500), "a\\x0ab\\x1b[31m", "...")

    def test_options(self):
        self.assert_usage(call("--frob"), "unknown option --frob of serve", "--help")
        self.assert_usage(call("run", "--frob"), "unknown option --frob of run", "-c, --timeout, --format")
        self.assert_usage(call("run", "-x"), "unknown option -x")
        self.assert_usage(call("-c", "print(1)"), "unknown option -c of serve")
        self.assert_usage(call("run", "-c"), "-c needs its CODE")
        self.assert_usage(call("run", "--timeout"), "--timeout needs its S")
        self.assert_usage(call("doctor", "--json=yes"), "--json takes no value")
        self.assert_usage(call("doctor", "-c", "1"), "unknown option -c of doctor")

    def test_values(self):
        for bad in ("", "x", "0", "-1", "1e3", "inf", "nan", "0x10", " 1", "1s", "1,5"):
            with self.subTest(bad):
                self.assert_usage(call("run", "-c", "1", "--timeout", bad), "--timeout", "number of seconds")
        self.assert_usage(call("run", "-c", "1", "--format", "xml"), "--format xml", "text or json")

    def test_operands(self):
        self.assert_usage(call("serve", "x"), "serve takes no operand")
        self.assert_usage(call("doctor", "x"), "doctor takes no operand")
        self.assert_usage(call("run", "a", "b"), "one FILE", "b")
        self.assert_usage(call("run", "-c", "1", "b"), "not both", "b")
        self.assert_usage(call("config"), "needs its CLIENT", "claude-desktop, claude-code, vscode, cursor, openclaw")
        self.assert_usage(call("config", "emacs"), "unknown client emacs", "openclaw")
        self.assert_usage(call("config", "vscode", "cursor"), "one CLIENT")

    def test_forms_that_are_the_same(self):
        for args in (["-cprint(1)"], ["-c", "print(1)"], ["--timeout=5", "-c", "print(1)"], ["--format=text", "--timeout", "5", "-cprint(1)"]):
            p = call("run", *args)
            self.assertEqual((p.returncode, p.out), (0, b"1\n"), p.err)

    def test_the_end_of_options(self):
        folder = self.folder()
        with open(os.path.join(folder, "-c"), "w") as f:
            f.write("print('a file')")
        p = call("run", "--", "-c", cwd=folder)
        self.assertEqual((p.returncode, p.out), (0, b"a file\n"), p.err)


class Clients(CliCase):
    def config(self, client, **more):
        p = call("config", client, **more)
        self.assertEqual(p.returncode, 0, p.err)
        return json.loads(p.out), p.err

    def check(self, entry, **variables):
        self.assertEqual(entry["command"], os.path.realpath(BIN))
        self.assertEqual(entry["args"], [])
        self.assertEqual(entry["env"], variables)

    def test_claude_and_cursor(self):
        for client, where in (("claude-desktop", "claude_desktop_config.json"), ("claude-code", ".mcp.json"), ("cursor", ".cursor/mcp.json")):
            doc, said = self.config(client, RUNNER_PYTHON=None)
            self.check(doc["mcpServers"]["python-runner"])
            self.assertEqual(doc, {"mcpServers": {"python-runner": doc["mcpServers"]["python-runner"]}})
            self.assertEqual(set(doc["mcpServers"]["python-runner"]), {"command", "args", "env"})
            self.assertIn(where, said)

    def test_vscode(self):
        doc, said = self.config("vscode", RUNNER_PYTHON=None)
        entry = doc["servers"]["python-runner"]
        self.assertEqual((list(doc), entry.pop("type")), (["servers"], "stdio"))
        self.check(entry)
        self.assertIn(".vscode/mcp.json", said)

    def test_openclaw(self):
        doc, said = self.config("openclaw", RUNNER_PYTHON=None)
        self.assertEqual((list(doc), list(doc["mcp"])), (["mcp"], ["servers"]))
        entry = doc["mcp"]["servers"]["python-runner"]
        self.check(entry)
        self.assertEqual((entry["transport"], entry["requestTimeoutMs"], entry["enabled"]), ("stdio", 90000, True))
        self.assertEqual(entry["toolFilter"], {"include": ["run_python"]})
        self.assertIn("openclaw.json", said)
        doc, _ = self.config("openclaw", RUNNER_MAX_TIMEOUT_SEC="300")
        self.assertEqual(doc["mcp"]["servers"]["python-runner"]["requestTimeoutMs"], 330000)

    def test_variables_that_are_set_go_in(self):
        doc, said = self.config("claude-desktop", RUNNER_PYTHON=os.path.relpath(PYTHON, "/"), RUNNER_MAX_CONCURRENT="2",
                                RUNNER_LOG_LEVEL="debug", RUNNER_MAX_QUEUE="many", RUNNER_CANARY="x", cwd="/")
        self.check(doc["mcpServers"]["python-runner"], RUNNER_PYTHON=PYTHON, RUNNER_MAX_CONCURRENT="2", RUNNER_LOG_LEVEL="debug")
        self.assertIn("left out: RUNNER_MAX_QUEUE=many", said)

    def test_what_is_printed_works(self):
        for client in ("claude-desktop", "vscode", "openclaw"):
            doc, _ = self.config(client, RUNNER_MAX_MEMORY_MB="128")
            while "python-runner" not in doc:
                (doc,) = doc.values()
            entry = doc["python-runner"]
            with mcp.Client(argv=[entry["command"], *entry["args"]], env=entry["env"]) as c:
                self.assertIn("128", str(c.result("tools/list")))
                self.assertEqual(c.run("print(6 * 7)").stdout, "42\n")

    def test_output_that_can_not_be_written(self):
        with open("/dev/full", "wb") as full:
            p = subprocess.run([BIN, "config", "cursor"], stdout=full, stderr=subprocess.PIPE, timeout=LIMIT)
        self.assertEqual(p.returncode, 125)


if __name__ == "__main__":
    unittest.main()
