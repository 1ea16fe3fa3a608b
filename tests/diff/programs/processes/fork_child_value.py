import os

pid = os.fork()
if pid:
    os.waitpid(pid, 0)
"a value in both"
