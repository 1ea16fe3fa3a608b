"""Process 1 of a pid namespace: runs a server there, and can give its template a number.

    unshare --pid --fork --mount-proc inpidns.py CONTROL SERVER...

CONTROL is a descriptor of a socket. Each number that comes ends the template, again and again until the new one has that number:
the next process of the namespace gets it, if nobody was quicker. The answer is the number of the template.
"""
import os
import select
import signal
import socket
import subprocess
import sys

import procs


def template(server):
    """(pid, start time) or None."""
    for p in procs.children(server):
        fields = procs.read(p, "stat").rpartition(b")")[2].split()
        if fields and fields[0] != b"Z" and b"main.py" in procs.read(p, "cmdline") and procs.read(p, "comm") != b"runner-keeper\n":
            return p, fields[19]
    return None


def number(server, last, wanted):
    """Ends the template until the next one is `wanted`."""
    for _ in range(30):
        before = procs.wait_until(lambda: template(server), 10)
        if before and before[0] == wanted:
            break
        if procs.stat(wanted):  # a keeper or a worker was quicker, and waits with it
            os.kill(wanted, signal.SIGKILL)
            procs.wait_until(lambda: not procs.stat(wanted), 2, 0.001)
        if before:
            os.kill(before[0], signal.SIGKILL)

        def another():
            os.pwrite(last, str(wanted - 1).encode(), 0)
            now = template(server)
            return now if now != before else None

        procs.wait_until(another, 3, 0.001)
    return before[0] if before else 0


def main():
    control = socket.socket(fileno=int(sys.argv[1]))
    for _ in range(8):  # small numbers are free then
        os.waitpid(os.fork() or os._exit(0), 0)
    server = subprocess.Popen(sys.argv[2:])
    ended = os.pidfd_open(server.pid)
    last = os.open("/proc/sys/kernel/ns_last_pid", os.O_WRONLY)
    while True:
        ready, _, _ = select.select([control, ended], [], [])
        wanted = control.recv(64) if ended not in ready else b""
        if not wanted:
            return server.wait()
        control.send(str(number(server.pid, last, int(wanted))).encode())


sys.exit(main())
