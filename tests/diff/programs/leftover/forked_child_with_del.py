import os
class A:
    def __del__(self):
        os.write(1, b"gone\n")
a = A()
pid = os.fork()
if pid:
    print(os.waitpid(pid, 0)[1])
