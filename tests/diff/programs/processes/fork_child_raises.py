import os

pid = os.fork()
if pid == 0:
    raise ValueError("in the child")
_, status = os.waitpid(pid, 0)
print("parent saw", os.waitstatus_to_exitcode(status))
