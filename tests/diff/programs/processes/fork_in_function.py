import os


def work():
    pid = os.fork()
    if not pid:
        return "child"
    os.waitpid(pid, 0)
    return "parent"


print(work(), flush=True)
