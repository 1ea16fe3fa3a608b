import os
import sys

pid = os.fork()
if pid == 0:
    print("child runs on")
else:
    _, status = os.waitpid(pid, 0)
    print("parent saw", os.waitstatus_to_exitcode(status))
sys.stdout.flush()
"the end of both"
