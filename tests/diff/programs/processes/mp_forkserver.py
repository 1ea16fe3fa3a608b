# timeout: 60
import multiprocessing as mp


def child(conn):
    conn.send({"from": "forkserver"})
    conn.close()


if __name__ == "__main__":
    ctx = mp.get_context("forkserver")
    a, b = ctx.Pipe()
    p = ctx.Process(target=child, args=(b,))
    p.start()
    print(a.recv())
    p.join()
    print(p.exitcode)
