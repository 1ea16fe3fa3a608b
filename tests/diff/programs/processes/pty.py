# device: /dev/ptmx
import os
import pty

pid, fd = pty.fork()
if pid == 0:
    os.write(1, b"on a terminal: " + (b"yes" if os.isatty(1) else b"no"))
    os._exit(0)
data = b""
try:
    while chunk := os.read(fd, 100):
        data += chunk
except OSError:
    pass
print(data, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
