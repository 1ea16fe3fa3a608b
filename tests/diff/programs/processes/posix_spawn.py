import os
import sys

pid = os.posix_spawn("/bin/sh", ["sh", "-c", "echo spawned $X; exit 4"], {"X": "value"})
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", "exit 6"]))
