import os
import sys

pid = os.fork()
if pid == 0:
    os.execv("/bin/sh", ["sh", "-c", "exec sh -c 'echo deep; exit 12'"])
print("child ended with", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
