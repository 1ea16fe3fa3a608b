import os

pid = os.fork()
if pid:
    print("parent: child ended with", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
else:
    print("child", flush=True)
    {}["key error in the last expression"]
[1, 2, 3]
