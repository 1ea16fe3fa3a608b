"""Test cases with a real server."""
import unittest

import mcp
import procs


class ServerCase(unittest.TestCase):
    """Servers made with client() end with the test; their faults fail it."""

    def client(self, *args, **kwargs):
        c = mcp.Client(*args, **kwargs)
        self.addCleanup(self._end, c)
        return c

    def _end(self, c):
        c.close(check=True)

    def assert_gone(self, pid, within=1.0):
        self.assertTrue(procs.wait_gone(pid, within * mcp.SLOW), f"process {pid} lives: {procs.read(pid, 'cmdline')!r}")

    def assert_none_left(self, client, marker=None, within=1.0, template=True):
        """No process of a finished run is left, nor a zombie, nor a file."""
        import os
        waiting = client.env.get("RUNNER_WARM_WORKERS") or client.env.get("RUNNER_MAX_CONCURRENT") or "4"
        # A waiting worker is two processes. What is more than all of them has to be gone in time; then all of them are
        # waited for, so that nothing hides among those that are still to come.
        expected = (1 if template else 0) + 2 * int(waiting)

        def left():
            below = procs.descendants(client.pid)
            more = procs.with_argument(marker) if marker else []
            # Where there is no private root, a waiting worker has a directory below ours.
            runs = os.listdir(client.tmp) if os.path.isdir(client.tmp) else []
            files = procs.files_of_runs(client.tmp)
            folders = [os.path.join(d, f) for d, names, _ in os.walk(client.tmp) for f in names if d.count("/") > client.tmp.count("/") + 1]
            files += folders + (runs if len(runs) > int(waiting) + 1 else [])
            inside = [p for p in procs.below(client.tmp) if p not in below]
            if mcp.POSIX:  # what outlives its template belongs to init there: it can only be counted
                below, inside = below + inside, []
            ok = len(below) <= expected and not more and not files and not inside
            return None if ok else (below, more, files[:20], inside)

        gone = procs.wait_until(lambda: left() is None, within * mcp.SLOW)
        if gone and template:
            procs.wait_until(lambda: len(set(procs.descendants(client.pid)) | set(procs.below(client.tmp))) >= expected, 10 * mcp.SLOW)
            gone = procs.wait_until(lambda: left() is None, within * mcp.SLOW)  # runs on their way out may still overlap with them
        rest = None if gone else left()
        if rest is not None:
            below, more, files, inside = rest
            words = [(p, (procs.stat(p) or "?")[0], procs.read(p, "cmdline")[:80]) for p in {*below, *more, *inside}]
            self.fail(f"left of a run after {within} s: processes {words}, files {files}")


class SharedServerCase(ServerCase):
    """One server for all tests of the class."""

    env = None
    revision = "2025-11-25"

    @classmethod
    def setUpClass(cls):
        cls.shared = mcp.Client(cls.env, cls.revision)

    @classmethod
    def tearDownClass(cls):
        cls.shared.close(check=True)

    def setUp(self):
        self.c = self.shared
        self.n_faults = len(self.c.faults)

    def tearDown(self):
        self.assertEqual(self.c.faults[self.n_faults:], [], "faults of the server")
