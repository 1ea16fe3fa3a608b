# The least that a call can cost where it gets a fresh, full interpreter: run by `python3 -I -S`, it forks itself when it is told
# to (f), and the copy, which has run a program before, waits for one on the socket that is descriptor 3. No server, no protocol,
# no sandbox, no limits: whoever sends the program and reads what it prints is the only other process.
import os
import socket
import sys

asked = socket.socket(fileno=3)


def run(source):
    exec(compile(source, "main.py", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
    sys.stdout.flush()


def rehearse():
    null, own = os.open(os.devnull, os.O_WRONLY), os.dup(1)
    os.dup2(null, 1)
    run(b"print(sum(n * n for n in range(20)))")
    os.dup2(own, 1)
    os.close(null)
    os.close(own)


while asked.recv(1):
    child = os.fork()
    if not child:
        rehearse()
        asked.send(b"w")
        run(asked.recv(65536))
        asked.send(b".")
        os._exit(0)
    os.waitpid(child, 0)
