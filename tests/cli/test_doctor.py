"""`doctor`: tries for real, says what to do, and is right about it."""
import json
import shutil

from cli import *

CHECKS = ["version", "configuration", "template", "temporary directory", "interpreter", "program", "memory limit", "file size limit",
          "time limit", "sandbox"]


class Doctor(CliCase):
    def rows(self, p):
        return [line for line in p.out.decode().splitlines() if not line.startswith("gap  ")]

    def test_all_is_well(self):
        p = call("doctor")
        self.assertEqual((p.returncode, p.err), (0, ""), p.out)
        self.assertEqual([row.split(":")[0] for row in self.rows(p)], [f"ok   {name}" for name in CHECKS])
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
