"""RUNNER_TEMPLATE_MAX_RUNS: another template takes over after so many runs, and nothing is lost by it."""
import itertools
import os
import random
import signal
import threading

import mcp
import procs
from cases import ServerCase

SEED = "print(hash('x'))"


class Recycle(ServerCase):
    def templates(self, c):
        return [p for p in procs.children(c.pid) if (procs.stat(p) or "Z")[0] != "Z" and procs.read(p, "comm") != b"runner-keeper\n"]

    def settle(self, c, n=1):
        self.assertTrue(procs.wait_until(lambda: len(self.templates(c)) == n, 10 * mcp.SLOW), f"templates: {self.templates(c)}, not {n}")
        return self.templates(c)

    def seeds(self, c, n):
        return [c.run(SEED).stdout for _ in range(n)]

    def until(self, c, n, code=SEED):
        """What programs print until there were n hash seeds: the next template takes its time to start."""
        seen = []
        self.assertTrue(procs.wait_until(lambda: seen.append(c.run(code).stdout) or len(set(seen)) >= n, 20 * mcp.SLOW, 0), seen)
        return seen

    def test_another_hash_seed_and_address_layout(self):
        c = self.client({"RUNNER_TEMPLATE_MAX_RUNS": "10", "RUNNER_WARM_WORKERS": "2"})
        seen = self.until(c, 5)
        runs = [len(list(group)) for _, group in itertools.groupby(seen)]
        self.assertEqual(len(runs), len(set(seen)), "one template after the other")
        self.assertTrue(all(n >= 10 for n in runs[:-1]), runs)

    def test_never(self):
        c = self.client({"RUNNER_TEMPLATE_MAX_RUNS": "0"})
        (template,) = self.settle(c)
        self.assertEqual(len(set(self.seeds(c, 40))), 1)
        self.assertEqual(self.templates(c), [template])

    def test_waiting_workers_are_used_up(self):
        c = self.client({"RUNNER_TEMPLATE_MAX_RUNS": "4", "RUNNER_WARM_WORKERS": "4", "RUNNER_LOG_LEVEL": "DEBUG"})
        old = int(c.wait_log(r"template \d+ takes over from (\d+) after 4 runs")[1])
        self.assertEqual(len(self.settle(c, 2)), 2)  # the four that wait are the old one's last
        first = self.seeds(c, 4)
        self.assertEqual(len(set(first)), 1, first)
        self.assert_gone(old, 10)
        self.assertNotIn(c.run(SEED).stdout, first)

    def test_a_template_lives_until_its_last_run_has_ended(self):
        c = self.client({"RUNNER_TEMPLATE_MAX_RUNS": "3", "RUNNER_WARM_WORKERS": "1", "RUNNER_MAX_CONCURRENT": "2", "RUNNER_MAX_CPU_SECONDS": "60"})
        (old,) = self.settle(c)
        long = c.start_marked("import os, time\nprint('started', flush=True)\nwhile not os.path.exists('/tmp/stop'): time.sleep(0.01)", timeout=60)
        self.until(c, 3)
        self.assertIn(old, self.templates(c), "it has gone before its run")
        self.assertLessEqual(len(self.templates(c)), 4)
        c.cancel(long)
        self.assert_gone(old, 10)
        self.assertEqual(c.run("print('next')").stdout, "next\n")
        self.assertTrue(procs.wait_until(lambda: len(self.templates(c)) <= 2, 10 * mcp.SLOW), self.templates(c))

    def load(self, c, n, at_once=4):
        """n calls, at_once at the same time; what each printed."""
        seen, lock, todo = [], threading.Lock(), list(range(n))

        def work():
            while True:
                with lock:
                    if not todo:
                        return
                    k = todo.pop()
                o = c.run(f"print({k}, hash('x'))")
                with lock:
                    seen.append((k, o.stdout, o.text))

        threads = [threading.Thread(target=work) for _ in range(at_once)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k, stdout, text in seen:
            self.assertEqual(stdout.split()[:1], [str(k)], text)
        self.assertEqual(len(seen), n)
        return {stdout.split()[1] for _, stdout, _ in seen}

    def test_under_load(self):
        for most in (1, 2, 3):
            for off in (None,) if mcp.POSIX else (None, "namespaces"):
                with self.subTest(most=most, off=off):
                    c = self.client({"RUNNER_TEMPLATE_MAX_RUNS": str(most), "RUNNER_LOG_LEVEL": "WARNING", "RUNNER_TEST_LAYERS_OFF": off})
                    self.load(c, 60)
                    self.until(c, 3)
                    self.assertEqual([x for x in c.log if "sandbox:" not in x], [])
                    self.assertTrue(procs.wait_until(lambda: len(self.templates(c)) <= 3, 10 * mcp.SLOW), self.templates(c))

    def test_with_a_preload(self):
        c = self.client({"RUNNER_TEMPLATE_MAX_RUNS": "5", "RUNNER_PRELOAD": "json,decimal"})
        seen = self.until(c, 3, "import sys\nprint(hash('x'), 'decimal' in sys.modules)")
        self.assertEqual({line.split()[1] for line in seen}, {"True"})

    def test_killed_while_one_takes_over_from_the_other(self):
        """kill -9 of any template, at any moment, again and again."""
        for off in (None,) if mcp.POSIX else (None, "namespaces"):
            c = self.client({"RUNNER_TEMPLATE_MAX_RUNS": "3", "RUNNER_TEST_LAYERS_OFF": off})
            chance, over = random.Random(7), threading.Event()

            def kill():
                while not over.wait(chance.uniform(0.03, 0.2)):
                    found = self.templates(c)
                    if found:
                        try:
                            os.kill(chance.choice(found), signal.SIGKILL)
                        except ProcessLookupError:
                            pass

            killer = threading.Thread(target=kill)
            killer.start()
            try:
                self.load(c, 150)
            finally:
                over.set()
                killer.join()
            self.assertEqual(c.run("print('after')").stdout, "after\n")
            self.until(c, 3)  # it goes on as before, some time after the last one that did not start
            c.close()

    def test_the_next_one_is_killed_as_it_starts(self):
        """The old one goes on; calls do not notice."""
        c = self.client({"RUNNER_TEMPLATE_MAX_RUNS": "2", "RUNNER_WARM_WORKERS": "1", "RUNNER_MAX_CONCURRENT": "1", "RUNNER_LOG_LEVEL": "DEBUG",
                         "RUNNER_PRELOAD": "json"})
        (old,) = self.settle(c)
        c.run("1")
        second = procs.wait_until(lambda: [p for p in self.templates(c) if p != old], 10 * mcp.SLOW)
        os.kill(second[0], signal.SIGKILL)
        for n in range(6):
            self.assertEqual(c.run(f"print({n})").stdout, f"{n}\n")

    def test_nothing_is_left(self):
        c = mcp.Client({"RUNNER_TEMPLATE_MAX_RUNS": "2"})
        self.load(c, 20)
        below = procs.descendants(c.pid)
        os.kill(c.pid, signal.SIGKILL)
        c.wait_exit(2)
        for pid in below:
            self.assert_gone(pid)
        c.close(check=False)
