import os

pid = os.fork()
if pid == 0:
    exec("1 +")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
