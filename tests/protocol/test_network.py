"""A run's network is its own, though namespaces are used again: nothing of one run shows in another."""
import re

import mcp
import procs
from cases import ServerCase

NAMESPACE = "import os; print(os.readlink('/proc/self/ns/net'))"
# Everything that is the namespace's, as a program sees it; addresses and counters alike
LOOK = """
import os
for name in ("dev", "snmp", "snmp6", "netstat", "igmp", "igmp6", "ip6_flowlabel", "tcp", "tcp6", "udp", "unix", "raw", "icmp"):
    path = "/proc/net/" + name
    print(name, open(path).read() if os.path.exists(path) else "")
print([line for line in open("/proc/net/sockstat") if line.startswith("sockets")])
"""
USES = {
    "a connection that waits for its end": """
import socket
s = socket.create_server(("127.0.0.1", 4711))
c = socket.create_connection(("127.0.0.1", 4711))
a, _ = s.accept()
c.close(); a.close(); s.close()
""",
    "a datagram": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "a datagram over IPv6": """
import socket
try:
    socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('::1', 9))
except OSError:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))
""",
    "an address that can't be reached": """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), 1)
except OSError:
    pass
""",
    "a group": """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("224.1.1.1") + socket.inet_aton("127.0.0.1"))
s.sendto(b"x", ("127.0.0.1", 9))
""",
    "sockets in flight, in a circle": """
import array, socket
a, b = socket.socketpair()
for s, t in ((a, b), (b, a)):
    s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [t.fileno()]))])
""",
    "an abstract name": "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0name')\ns.listen()\n",
}


if not mcp.POSIX:

    class Network(ServerCase):
        def one(self, c, code):
            """A call, with nothing else going on."""
            text = c.run(code).stdout
            self.assertTrue(procs.wait_until(lambda: len(procs.descendants(c.pid)) == 3, 10 * mcp.SLOW))
            return text

        def test_an_unused_one_is_used_again(self):
            c = self.client({"RUNNER_WARM_WORKERS": "1", "RUNNER_MAX_CONCURRENT": "1"})
            seen = [self.one(c, NAMESPACE) for _ in range(12)]
            self.assertLessEqual(len(set(seen)), 4, seen)
            self.assertTrue(all(re.fullmatch(r"net:\[\d+\]\n", s) for s in seen))

        def test_nothing_of_a_run_is_in_the_next(self):
            c = self.client({"RUNNER_WARM_WORKERS": "1", "RUNNER_MAX_CONCURRENT": "1"})
            fresh = self.one(c, LOOK)
            for name, use in USES.items():
                with self.subTest(name):
                    for _ in range(2):
                        self.one(c, use)
                    for _ in range(3):  # each of the namespaces there are has its turn
                        self.assertEqual(self.one(c, LOOK), fresh)

        def test_a_used_one_is_replaced(self):
            c = self.client({"RUNNER_WARM_WORKERS": "1", "RUNNER_MAX_CONCURRENT": "1"})
            code = USES["a connection that waits for its end"]
            for _ in range(8):  # bind() without SO_REUSEADDR fails beside a connection that waits for its end
                o = c.run(code.replace('s = socket.create_server(("127.0.0.1", 4711))',
                                       's = socket.socket(); s.bind(("127.0.0.1", 4711)); s.listen()'))
                self.assertEqual((o.exit_code, o.sections.get("stderr")), (0, None), o.text)

        def test_one_that_was_killed_in_use(self):
            c = self.client({"RUNNER_WARM_WORKERS": "1", "RUNNER_MAX_CONCURRENT": "1"})
            fresh = self.one(c, LOOK)
            o = c.run("import socket, time\ns = socket.create_server(('127.0.0.1', 4711))\n"
                      "k = socket.create_connection(('127.0.0.1', 4711))\ntime.sleep(60)", timeout=0.5 * mcp.SLOW)
            self.assertEqual(o.status, "timeout")
            for _ in range(4):
                self.assertEqual(self.one(c, LOOK), fresh)
