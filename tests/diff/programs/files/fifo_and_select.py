import os
import select

r, w = os.pipe()
print(select.select([r], [w], [], 0)[1] == [w])
os.write(w, b"x")
p = select.poll()
p.register(r, select.POLLIN)
print(len(p.poll(0)))
ep = select.epoll()
ep.register(r, select.EPOLLIN)
print(len(ep.poll(0)), ep.closed)
ep.close()
os.mkfifo("fifo")
fd = os.open("fifo", os.O_RDONLY | os.O_NONBLOCK)
print(os.read(fd, 10))
