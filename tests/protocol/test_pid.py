"""A worker's pid is never its template's: libraries notice a fork by that."""
import os
import socket
import sys

import mcp
from cases import ServerCase

HELPER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib", "inpidns.py")


if not mcp.POSIX:  # elsewhere nobody has two numbers

    class Pid(ServerCase):
        def in_a_pid_namespace(self, **env):
            ours, theirs = socket.socketpair()
            self.addCleanup(ours.close)
            root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
            c = self.client({"RUNNER_WARM_WORKERS": "1", **env}, pass_fds=(theirs.fileno(),), argv=[
                "unshare", *root, "--pid", "--fork", "--mount-proc", "--kill-child", sys.executable, HELPER, str(theirs.fileno()), mcp.SERVER])
            theirs.close()
            return c, ours

        def test_a_template_with_a_small_number(self):
            """As in a container, where the template may have the very number that workers have in their own namespaces."""
            c, control = self.in_a_pid_namespace()
            c.run("1")
            pids = set()
            usual = int(c.run("import os; print(os.getpid())").stdout)  # of a worker whose template has a large number
            control.send(str(usual).encode())
            self.assertEqual(control.recv(64), str(usual).encode(), "the template did not get that number")
            c.run("1")  # perhaps by a worker of the template before
            for _ in range(8):
                o = c.run("import os; print(os.getpid())")
                pids.add(int(o.stdout))
            self.assertNotIn(usual, pids)

        def test_random_numbers_differ_all_the_same(self):
            c, control = self.in_a_pid_namespace(RUNNER_PRELOAD="tempfile,ssl,random")
            code = "import os, ssl, tempfile; print(ssl.RAND_bytes(8).hex(), next(tempfile._get_candidate_names()))"
            usual = c.run("import os; print(os.getpid())").stdout.strip()
            control.send(usual.encode())
            self.assertEqual(control.recv(64), usual.encode())
            c.run("1")
            seen = [word for _ in range(5) for word in c.run(code).stdout.split()]
            self.assertEqual(len(set(seen)), 10, seen)
