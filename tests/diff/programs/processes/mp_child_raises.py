import multiprocessing as mp


def bad():
    raise ValueError("in a process")


ctx = mp.get_context("fork")
p = ctx.Process(target=bad, name="Proc-bad")
p.start()
p.join()
print(p.exitcode, p.name)
