import os

os.register_at_fork(
    before=lambda: print("before", flush=True),
    after_in_parent=lambda: print("in parent", flush=True),
    after_in_child=lambda: os.write(1, b""),
)
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
