import os

os.fork() and os.waitpid(-1, 0)[1]
