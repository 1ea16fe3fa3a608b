import os

print("parent", flush=True)
pid = os.fork()
if pid == 0:
    print("child", flush=True)
    os._exit(9)
_, status = os.waitpid(pid, 0)
print("status", os.waitstatus_to_exitcode(status))
