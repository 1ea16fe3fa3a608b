"""`doctor`: tries for real, says what to do, and is right about it."""
import json
import shutil

from cli import *

CHECKS = ["version", "configuration", "template", "temporary directory", "interpreter", "program", "memory limit", "file size limit",
          "time limit", "sandbox"]
LAYERS = ["namespaces", "landlock", "seccomp"]
OPTIONAL = ["cgroup"]  # rarely to be had; tests/vm has it
# A machine that lends nobody a user namespace.
NO_NAMESPACES = ["unshare", "--user", "--map-root-user", "sh", "-c", 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh"]


class Doctor(CliCase):
    def rows(self, p):
        return [line for line in p.out.decode().splitlines() if not line.startswith("gap  ")]

    def test_all_is_well(self):
        p = call("doctor")
        self.assertEqual((p.returncode, p.err), (0, ""), p.out)
        layers = json.loads(call("doctor", "--json").out)["sandbox"]["layers"]
        self.assertEqual([layer["name"] for layer in layers], LAYERS + OPTIONAL)
        self.assertEqual([row.split(":")[0] for row in self.rows(p)],
                         [f"ok   {name}" for name in CHECKS] + [f"ok   layer {layer['name']}" for layer in layers if layer["holds"]])
        self.assertIn(f"CPython 3.", p.out.decode())
        self.assertIn("ms", self.rows(p)[5])

    def test_as_json(self):
        p = call("doctor", "--json")
        doc = json.loads(p.out)
        self.assertEqual((p.returncode, p.err, doc["ok"]), (0, "", True))
        self.assertEqual([(c["name"], c["ok"]) for c in doc["checks"]], [(name, True) for name in CHECKS])
        text = call("doctor").out.decode()
        for gap in doc["sandbox"]["gaps"]:
            self.assertIn(f"gap  {gap}\n", text)
        self.assertIn(f"sandbox: {doc['sandbox']['tier']}", text)

    def layers(self, argv=(), **more):
        """{layer: its line}, and the same as JSON has it."""
        lines = {}
        shown = subprocess.run([*argv, BIN, "doctor"], env=env(**more), capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL).stdout.decode()
        for line in shown.splitlines():
            if line[5:].startswith("layer "):
                lines[line[5:].split()[1].rstrip(":")] = line
        doc = json.loads(subprocess.run([*argv, BIN, "doctor", "--json"], env=env(**more), capture_output=True, timeout=LIMIT,
                                        stdin=subprocess.DEVNULL).stdout)
        self.assertEqual(list(lines), LAYERS + OPTIONAL)
        for layer in doc["sandbox"]["layers"]:
            line = lines[layer["name"]]
            if layer["holds"]:
                self.assertEqual((line, layer), (f"ok   layer {layer['name']}: holds", {"name": layer["name"], "holds": True}))
            else:
                fix = f". What to do: {layer['fix']}" if layer["fix"] else ""
                self.assertEqual(line, f"gap  layer {layer['name']}: does not hold: {layer['why']}{fix}")
        return doc

    def test_each_layer(self):
        held = {layer["name"] for layer in self.layers()["sandbox"]["layers"] if layer["holds"]} - set(OPTIONAL)
        self.assertEqual(held, set() if mcp.POSIX else set(LAYERS))
        for name in held:
            doc = self.layers(RUNNER_TEST_LAYERS_OFF=name)
            self.assertTrue(doc["ok"])  # what is missing is said; it is no fault
            self.assertEqual({layer["name"]: layer.get("why") for layer in doc["sandbox"]["layers"] if layer["name"] in LAYERS},
                             {other: "switched off" if other == name else None for other in LAYERS})
            self.assertEqual(doc["sandbox"]["tier"], "container" if name == "namespaces" else "partial")

    if not mcp.POSIX:

        def test_a_machine_without_namespaces(self):
            folder = self.folder()
            os.chmod(folder, 0o777)
            doc = self.layers(NO_NAMESPACES, TMPDIR=folder)
            (layer,) = [layer for layer in doc["sandbox"]["layers"] if not layer["holds"] and layer["name"] in LAYERS]
            self.assertEqual((layer["name"], doc["sandbox"]["tier"]), ("namespaces", "container"))
            self.assertEqual(layer["why"], "making namespaces: No space left on device")
            self.assertEqual(layer["fix"], "as root: sysctl -w user.max_user_namespaces=10000")

        def test_strict_where_a_layer_is_missing(self):
            for args in ([], ["run", "-c", "print(1)"]):
                p = subprocess.run([*NO_NAMESPACES, BIN, *args], env=env(RUNNER_SANDBOX="strict"), capture_output=True, timeout=LIMIT,
                                   stdin=subprocess.DEVNULL)
                p.out, p.err = p.stdout, p.stderr.decode()
                self.assert_usage(p, "RUNNER_SANDBOX=strict", "namespaces", "No space left on device", "max_user_namespaces=10000")

    def test_strict(self):
        if mcp.POSIX:
            self.assert_usage(call("run", "-c", "print(1)", RUNNER_SANDBOX="strict"), "namespaces", "landlock", "seccomp", "-Dsandbox=posix")
            return
        self.assertEqual(call("run", "-c", "print(1)", RUNNER_SANDBOX="strict").out, b"1\n")
        for name in LAYERS:
            for args in ([], ["run", "-c", "print(1)"]):
                p = call(*args, RUNNER_SANDBOX="strict", RUNNER_TEST_LAYERS_OFF=name)
                self.assert_usage(p, f"the layer {name} (switched off)")
                for other in set(LAYERS) - {name}:
                    self.assertNotIn(other, p.err)
        self.failing("sandbox", "the layer landlock", RUNNER_SANDBOX="strict", RUNNER_TEST_LAYERS_OFF="landlock")

    def test_limits_alone(self):
        doc = self.layers(RUNNER_SANDBOX="rlimits")
        self.assertEqual((doc["ok"], doc["sandbox"]["tier"]), (True, "rlimits"))

    def test_the_tier_stands_in_the_log_and_in_the_instructions(self):
        tier = json.loads(call("doctor", "--json").out)["sandbox"]["tier"]
        with mcp.Client({"RUNNER_LOG_LEVEL": "INFO"}) as c:
            c.wait_log(rf"INFO .*sandbox: {tier}$")
            self.assertIn(tier, c.init_result["instructions"] + json.dumps(c.result("tools/list")))

    def failing(self, name, *words, **more):
        p = call("doctor", **more)
        self.assertEqual(p.returncode, 1, p.out)
        (line,) = [row for row in self.rows(p) if row.startswith("FAIL")]
        self.assertTrue(line.startswith(f"FAIL {name}: "), line)
        for word in (*words, "What to do: "):
            self.assertIn(word, line)
        doc = json.loads(call("doctor", "--json", **more).out)
        (check,) = [c for c in doc["checks"] if not c["ok"]]
        self.assertEqual((doc["ok"], check["name"]), (False, name))
        self.assertTrue(check["fix"])

    def test_a_bad_value(self):
        self.failing("configuration", "RUNNER_MAX_QUEUE=x: must be", RUNNER_MAX_QUEUE="x")

    def test_a_bad_interpreter(self):
        self.failing("interpreter", "RUNNER_PYTHON", RUNNER_PYTHON="/bin/true", RUNNER_LOG_LEVEL="ERROR")
        self.failing("configuration", "/no/such", RUNNER_PYTHON="/no/such")

    def test_missing_files(self):
        alone = os.path.join(self.folder(), "python-runner-mcp")
        shutil.copy(BIN, alone)
        self.failing("configuration", "main.py", binary=alone)

    def test_a_preload(self):
        p = call("doctor", RUNNER_PRELOAD="json,decimal")
        self.assertEqual(p.returncode, 0, p.out)
        self.assertEqual([row for row in self.rows(p) if "   preload " in row],
                         ["ok   preload json: imported beforehand", "ok   preload decimal: imported beforehand"])
        self.failing("preload no_such_module", "ModuleNotFoundError: No module named 'no_such_module'", "RUNNER_SITE_PACKAGES=true",
                     RUNNER_PRELOAD="json,no_such_module")

    def test_with_other_limits(self):
        p = call("doctor", RUNNER_MAX_MEMORY_MB="1024", RUNNER_MAX_FILE_SIZE_MB="1", RUNNER_MAX_CONCURRENT="1")
        self.assertEqual(p.returncode, 0, p.out)

    def test_as_an_ordinary_user(self):
        folder = self.folder()
        binary = copy_program(folder)
        p = subprocess.run(as_user([binary, "doctor"]), env=env(HOME="/", TMPDIR="/tmp"), capture_output=True, timeout=LIMIT, cwd="/",
                           stdin=subprocess.DEVNULL)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)

    def test_interrupted(self):
        slow = self.file("#!/bin/sh\nexec sleep 58.5\n", "python3")
        os.chmod(slow, 0o755)
        p = self.start("doctor", RUNNER_PYTHON=slow)
        self.assertTrue(procs.wait_until(lambda: procs.with_argument("58.5"), LIMIT))
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(LIMIT), 1)
        self.assertIn(b"interrupted by SIGINT", p.stdout.read())


if __name__ == "__main__":
    unittest.main()
