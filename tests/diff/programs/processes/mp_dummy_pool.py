from multiprocessing.dummy import Pool
from multiprocessing.pool import ThreadPool

with Pool(2) as p, ThreadPool(2) as tp:
    print(p.map(abs, [-1, -2]), list(tp.imap(str, range(3))))
