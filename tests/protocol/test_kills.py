"""kill -9 of each process: the server goes on, or everything is gone."""
import os
import signal
import time

import mcp
import procs
from cases import ServerCase


class Kills(ServerCase):
    def template(self, c, but=()):
        """The template: a direct child of the server. Once a template has died its keepers are children too."""
        found = procs.wait_until(lambda: [p for p in procs.children(c.pid) if p not in but and (procs.stat(p) or "Z")[0] != "Z" and
                                          procs.read(p, "comm") != b"runner-keeper\n"], 10 * mcp.SLOW)
        self.assertTrue(found, "no template")
        return found[-1]

    def kill(self, pid):
        os.kill(pid, signal.SIGKILL)

    def test_template_idle(self):
        c = self.client()
        self.assertEqual(c.run("1").result, "1\n")
        for _ in range(3):
            t = self.template(c)
            self.kill(t)
            o = c.run("print('after')")
            self.assertEqual((o.stdout, o.is_error), ("after\n", False))
            self.assert_gone(t)
        self.assert_none_left(c)

    def test_template_before_the_first_call(self):
        c = self.client()
        self.kill(self.template(c))
        self.assertEqual(c.run("print('first')").stdout, "first\n")

    def test_template_during_a_run(self):
        """Running programs outlive their template."""
        c = self.client()
        c.run("1")
        t = self.template(c)
        i = c.start_marked("print('started'); import time; time.sleep(0.8); print('finished')")
        self.kill(t)
        other = c.call("print('other')")
        o = c.outcome(i)
        self.assertEqual((o.status, o.stdout), ("exited", "started\nfinished\n"))
        self.assertEqual(c.outcome(other).stdout, "other\n")
        self.assert_none_left(c)

    def test_limits_hold_without_the_template(self):
        c = self.client({"RUNNER_MAX_CPU_SECONDS": "1"})
        c.run("1")
        t = self.template(c)
        a = c.start_marked("print('started'); import time; time.sleep(60)", timeout=1.5)
        b = c.start_marked("print('started')\nwhile True: pass", timeout=30)
        d = c.start_marked("print('started'); import time; time.sleep(60)", timeout=60)
        self.kill(t)
        c.cancel(d)
        self.assertEqual(c.outcome(a).status, "timeout")
        self.assertEqual(c.outcome(b).status, "cpu_limit")
        self.assert_none_left(c)
        self.assertEqual(c.answers(d), [])

    def test_template_under_load(self):
        c = self.client({"RUNNER_MAX_CONCURRENT": "4"})
        c.run("1")
        for _ in range(5):
            calls = [c.call("import time; time.sleep(0.05); print('done')") for _ in range(16)]
            t = self.template(c)
            c.answer(calls[0])
            self.kill(t)
            outcomes = [c.outcome(i) for i in calls]
            self.assertEqual([o.stdout for o in outcomes], ["done\n"] * 16)
            self.assert_none_left(c)

    def test_template_at_every_moment(self):
        c = self.client()
        c.run("1")
        for n in range(25):
            i = c.call("print('done')")
            t = self.template(c)
            time.sleep(n * 0.0004)  # another moment of the hand-over each time
            try:
                self.kill(t)
            except ProcessLookupError:  # a keeper of the run before, on its way out
                pass
            self.assertEqual(c.outcome(i).stdout, "done\n")
        self.assert_none_left(c)

    def test_template_stopped(self):
        """A template that hangs must not hang the protocol."""
        c = self.client()
        c.run("1")
        t = self.template(c)
        os.kill(t, signal.SIGSTOP)
        i = c.call("print('later')")
        c.alive()
        os.kill(t, signal.SIGCONT)
        self.assertEqual(c.outcome(i).stdout, "later\n")

    def test_server_stopped(self):
        """A program that ended in time has no timeout, even when the server sees its end too late."""
        c = self.client()
        i, _, worker = self.keeper_of(c, "print('started', flush=True); import time; time.sleep(1); print('finished'); exit(3)", timeout=2 * mcp.SLOW)
        os.kill(c.pid, signal.SIGSTOP)
        stopped = time.monotonic()
        try:
            self.assert_gone(worker, 2)
            time.sleep(max(0, stopped + 2.1 * mcp.SLOW - time.monotonic()))  # no event: its clock runs out
        finally:
            os.kill(c.pid, signal.SIGCONT)
        o = c.outcome(i)
        self.assertEqual((o.status, o.exit_code, o.stdout), ("exited", 3, "started\nfinished\n"))

    def keeper_of(self, c, code="print('started'); import time; time.sleep(60)", **kw):
        """A run that goes on, with its keeper and worker: the program gives itself a name (prctl(2), PR_SET_NAME)."""
        name = f"run-{c.pid}"
        i = c.start_marked(f"__import__('ctypes').CDLL(None).prctl(15, b'{name}', 0, 0, 0)\n" + code, **kw)
        worker = next(p for p in procs.descendants(c.pid) if procs.read(p, "comm") == name.encode() + b"\n")
        return i, procs.stat(worker)[1], worker

    def test_keeper(self):
        """The call says that its run was lost; nothing of it lives; the next one works."""
        c = self.client()
        i, keeper, worker = self.keeper_of(c, timeout=60)
        self.kill(keeper)
        o = c.outcome(i, 5 * mcp.SLOW)
        self.assertIn(o.status, ("sandbox_error", "signaled"))
        if o.status == "sandbox_error":
            self.assertTrue(o.is_error)
        if mcp.POSIX:  # nobody else knows of the worker there: a gap that `doctor` names
            self.kill(worker)
        self.assert_gone(worker)
        self.assert_none_left(c)
        self.assertEqual(c.run("print('next')").stdout, "next\n")

    def test_worker(self):
        c = self.client()
        i, keeper, worker = self.keeper_of(c, timeout=60)
        self.kill(worker)
        o = c.outcome(i, 5 * mcp.SLOW)
        self.assertEqual((o.status, o.signal), ("signaled", 9))
        self.assert_gone(keeper)
        self.assert_none_left(c)

    def supervisor(self, code):
        c = mcp.Client()
        marker = f"98333.{c.pid}"
        c.run("1")
        c.start_marked(code.replace("MARK", marker), timeout=60)
        below = procs.descendants(c.pid)
        self.assertGreaterEqual(len(below), 3)
        self.kill(c.pid)
        c.wait_exit(2)
        for pid in below:
            self.assert_gone(pid, 1.0)
        self.assertTrue(procs.wait_until(lambda: not procs.with_argument(marker), 1.0 * mcp.SLOW), "a child outlives the server")
        left = procs.wait_until(lambda: not procs.below(c.tmp), 1.0)
        self.assertTrue(left)
        c.close(check=False)

    def test_supervisor(self):
        self.supervisor("print('started'); import time; time.sleep(60)")

    def test_supervisor_with_children(self):
        self.supervisor("import os\nif os.fork() == 0: os.execvp('sleep', ['sleep', 'MARK'])\nprint('started', flush=True)\nos.wait()")

    if not mcp.POSIX:

        def test_supervisor_with_a_daemon(self):
            self.supervisor("import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        for f in (0, 1, 2): os.close(f)\n"
                            "        os.execvp('sleep', ['sleep', 'MARK'])\n    os._exit(0)\nos.wait(); print('started', flush=True); time.sleep(60)")

        def test_keeper_with_a_daemon(self):
            c = self.client()
            marker = f"98444.{c.pid}"
            i, keeper, worker = self.keeper_of(
                c, f"import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        for f in (0, 1, 2): os.close(f)\n"
                   f"        os.execvp('sleep', ['sleep', '{marker}'])\n    os._exit(0)\nos.wait(); print('started', flush=True); time.sleep(60)", timeout=60)
            self.kill(keeper)
            c.outcome(i, 5 * mcp.SLOW)
            self.assert_none_left(c, marker)

    def test_files_of_a_killed_server_do_not_disturb_the_next(self):
        c = mcp.Client()
        c.start_marked("open('f', 'w').write('x'); print('started'); import time; time.sleep(60)")
        self.kill(c.pid)
        c.wait_exit(2)
        second = self.client(tmp=c.tmp)
        self.assertEqual(second.run("print('second')").stdout, "second\n")
        c.close(check=False)
