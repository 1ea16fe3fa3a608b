import multiprocessing as mp
if __name__ == "__main__":
    with mp.get_context("fork").Pool(2) as pool:
        print(pool.map(abs, [-1, -2]))
