import os
import signal

pid = os.fork()
if pid == 0:
    os.setpgid(0, 0)
    signal.pause()
try:
    os.setpgid(pid, pid)
except OSError:
    pass
os.killpg(pid, signal.SIGTERM)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
