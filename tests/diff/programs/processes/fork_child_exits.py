import atexit
import os
import sys

atexit.register(lambda: print("atexit in", "child" if child else "parent", flush=True))
pid = os.fork()
child = pid == 0
if child:
    sys.exit(21)
_, status = os.waitpid(pid, 0)
print("parent saw", os.waitstatus_to_exitcode(status))
