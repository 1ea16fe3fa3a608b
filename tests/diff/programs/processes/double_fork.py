import os

r, w = os.pipe()
pid = os.fork()
if pid == 0:
    if os.fork() == 0:
        os.write(w, b"from the grandchild")
        os._exit(0)
    os._exit(0)
os.waitpid(pid, 0)
os.close(w)
data = b""
while chunk := os.read(r, 100):
    data += chunk
print(data)
