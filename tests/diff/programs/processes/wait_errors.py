import os

try:
    os.wait()
except ChildProcessError as e:
    print(e)
os.waitpid(-1, os.WNOHANG)
