import os

codes = []
for i in range(12):
    pid = os.fork()
    if pid == 0:
        os._exit(i)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(codes)
