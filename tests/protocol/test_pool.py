"""Workers that wait for a program: there beforehand, never used twice, replaced when they are lost; and cold mode."""
import os
import re
import resource
import shutil
import signal

import mcp
import procs
from asuser import OrdinaryUser
from cases import ServerCase

PER_WORKER = 2  # a keeper and its worker


class Pool(ServerCase):
    def settle(self, c, waiting):
        """Until the template and `waiting` workers are all there is."""
        n = 1 + PER_WORKER * waiting
        self.assertTrue(procs.wait_until(lambda: len(procs.descendants(c.pid)) == n, 10 * mcp.SLOW),
                        f"{len(procs.descendants(c.pid))} processes, not {n}")
        return set(procs.descendants(c.pid))

    def test_workers_wait_before_the_first_call(self):
        c = self.client({"RUNNER_WARM_WORKERS": "3"})
        self.settle(c, 3)

    def test_as_many_as_run_at_the_same_time(self):
        c = self.client({"RUNNER_MAX_CONCURRENT": "2"})
        self.settle(c, 2)

    def test_a_call_uses_up_one_and_another_takes_its_place(self):
        c = self.client({"RUNNER_WARM_WORKERS": "2"})
        seen = self.settle(c, 2)
        for n in range(4):
            self.assertEqual(c.run(f"print({n})").stdout, f"{n}\n")

            def replaced(before=seen):  # the run's own may still be on its way out, and make up the number
                now = set(procs.descendants(c.pid))
                return now if len(now) == len(before) and len(now - before) == PER_WORKER else None
            seen = procs.wait_until(replaced, 10 * mcp.SLOW)
            self.assertTrue(seen, "the template and one worker stay, another worker comes")

    def test_every_processor_is_a_programs(self):
        """The worker of a call that is alone is bound to the supervisor's until it begins."""
        c = self.client({"RUNNER_WARM_WORKERS": "2"})
        for _ in range(8):
            self.settle(c, 2)
            said = c.run("import os\nprint(sorted(os.sched_getaffinity(0)))").stdout
            self.assertEqual(said, f"{sorted(os.sched_getaffinity(c.pid))}\n")

    def test_a_restriction_that_is_made_while_workers_wait(self):
        c = self.client({"RUNNER_WARM_WORKERS": "2"})
        for processors in ([p] for p in sorted(os.sched_getaffinity(c.pid))):
            for pid in (c.pid, *self.settle(c, 2)):
                os.sched_setaffinity(pid, processors)
            said = c.run("import os\nprint(sorted(os.sched_getaffinity(0)))").stdout
            self.assertEqual(said, f"{processors}\n")
            self.settle(c, 2)

    def test_killed_by_a_child_when_it_had_ended(self):
        """The answer waits for the process there, since the child has its outputs."""
        c = self.client()
        for _ in range(30):
            o = c.run("import os\nif os.fork() == 0:\n    parent = os.getppid()\n    try:\n        while True:\n"
                      "            os.readlink(f'/proc/{parent}/fd/1')\n    except OSError:\n        os.kill(parent, 9)\n        os._exit(0)")
            self.assertEqual((o.status, o.exit_code), ("exited", 0))

    def test_nothing_of_a_program_is_in_the_next(self):
        c = self.client({"RUNNER_WARM_WORKERS": "1"})
        c.run("import builtins, sys, os; builtins.mark = sys.mark = 1; os.environ['MARK'] = '1'; open('mark', 'w').close()")
        o = c.run("import builtins, sys, os; print(hasattr(builtins, 'mark'), hasattr(sys, 'mark'), 'MARK' in os.environ, os.listdir('.'))")
        self.assertEqual(o.stdout, "False False False ['main.py']\n")

    def test_a_burst_beyond_the_pool(self):
        c = self.client({"RUNNER_WARM_WORKERS": "1", "RUNNER_MAX_CONCURRENT": "6"})
        self.settle(c, 1)
        calls = [c.call(f"import time; time.sleep(0.2); print({n})") for n in range(12)]
        self.assertEqual([c.outcome(i).stdout for i in calls], [f"{n}\n" for n in range(12)])
        self.settle(c, 1)

    def test_waiting_workers_that_are_killed(self):
        """The next call is not given to a dead worker, or is given to another one."""
        c = self.client({"RUNNER_WARM_WORKERS": "2"})
        for _ in range(5):
            def found():
                parents = {p: (procs.stat(p) or (None, c.pid))[1] for p in self.settle(c, 2)}
                workers = [p for p, parent in parents.items() if parent != c.pid and procs.children(parent) == [p]]
                return workers if len(workers) == 2 else None  # what was settled may have been the run before on its way out
            workers = procs.wait_until(found, 10 * mcp.SLOW)
            self.assertTrue(workers)
            for p in workers:
                os.kill(p, signal.SIGKILL)
            self.assertEqual(c.run("print('next')").stdout, "next\n")

    def test_all_waiting_keepers_are_killed(self):
        """More of them than a call has tries."""
        if mcp.POSIX:
            return  # workers outlive their keepers there
        c = self.client({"RUNNER_WARM_WORKERS": "8"})
        for n in range(4):
            def found():
                self.settle(c, 8)
                here = [keeper for template in procs.children(c.pid) for keeper in procs.children(template)]
                return here if len(here) == 8 else None
            keepers = procs.wait_until(found, 10 * mcp.SLOW)
            self.assertTrue(keepers)
            workers = [w for k in keepers for w in procs.children(k)]
            os.kill(c.pid, signal.SIGSTOP)  # it has not heard of their end when the call comes
            for p in keepers:
                os.kill(p, signal.SIGKILL)
            for p in workers:
                procs.wait_gone(p, 10)
            i = c.call(f"print({n})")
            os.kill(c.pid, signal.SIGCONT)
            self.assertEqual(c.outcome(i).stdout, f"{n}\n")

    def test_a_cleaned_temporary_directory(self):
        """Where run directories are made below it, those of waiting workers may be gone when the call comes."""
        c = self.client({"RUNNER_WARM_WORKERS": "3", "RUNNER_SANDBOX": "rlimits"})
        self.assertEqual(c.run("1").result, "1\n")
        self.settle(c, 3)
        for name in os.listdir(c.tmp):
            shutil.rmtree(os.path.join(c.tmp, name), ignore_errors=True)  # that of the run before may be going by itself
        for n in range(4):
            self.assertEqual(c.run(f"open('file', 'w'); print({n})").stdout, f"{n}\n")

    def test_the_clock_starts_with_the_program(self):
        c = self.client({"RUNNER_WARM_WORKERS": "1"})
        self.settle(c, 1)
        procs.wait_until(lambda: False, 0.6)  # it waits for longer than the timeout of its program
        o = c.run("import time; time.sleep(0.2); print('done')", timeout=0.5 * mcp.SLOW)
        self.assertEqual((o.status, o.stdout), ("exited", "done\n"))

    def test_waiting_workers_end_with_the_server(self):
        c = mcp.Client({"RUNNER_WARM_WORKERS": "4"})
        below = self.settle(c, 4)
        os.kill(c.pid, signal.SIGKILL)
        for p in below:
            self.assert_gone(p)
        c.wait_exit(2)
        c.close(check=False)


class HardlyRoom(ServerCase):
    alone = True  # a user has one count of processes, those of the other tests included

    def test_hardly_room_for_processes(self):
        """Workers that wait fail to be set up now and then: no call goes to one of those, and each is answered."""
        user = OrdinaryUser()
        self.addCleanup(user.close)
        uid = user.popen_arguments().get("user", os.geteuid())
        most = 10 + procs.threads_of_user(uid)
        arguments = user.client_arguments()
        c = mcp.Client({}, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (most, most)), **arguments)
        self.addCleanup(c.close, check=False)
        calls = [c.call(f"import time; time.sleep(0.2); print({n})") for n in range(20)]
        for n, i in enumerate(calls):
            o = c.outcome(i)
            if o.is_error:
                self.assertIn("No process could be started", o.text)
            else:
                self.assertEqual(o.stdout, f"{n}\n")
        c.close_stdin()
        self.assertEqual(c.wait_exit(5 * mcp.SLOW), 0)


class ColdMode(ServerCase):
    def test_a_program_that_dies_is_not_run_again(self):
        c = self.client({"RUNNER_WARM_WORKERS": "0"})
        for how in ("os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 11)", "os._exit(125)"):
            o = c.run(f"import os\n{how}")
            self.assertEqual(o.status, "exited" if "_exit" in how else "signaled")
        self.assertNotIn("trying again", "".join(c.log))

    def test_each_run_has_a_hash_seed_and_an_address_layout_of_its_own(self):
        c = self.client({"RUNNER_WARM_WORKERS": "0"})
        seen = [c.run("print(hash('x'), hex(id([])))").stdout.split() for _ in range(4)]
        self.assertEqual(len({h for h, _ in seen}), 4)
        self.assertGreater(len({i for _, i in seen}), 1)
        self.assertTrue(all(re.fullmatch(r"0x[0-9a-f]+", i) for _, i in seen))

    def test_calls_in_parallel(self):
        c = self.client({"RUNNER_WARM_WORKERS": "0"})
        calls = [c.call(f"print({n})") for n in range(10)]
        self.assertEqual([c.outcome(i).stdout for i in calls], [f"{n}\n" for n in range(10)])
        self.assertTrue(procs.wait_until(lambda: len(procs.descendants(c.pid)) <= 1, 5 * mcp.SLOW))
