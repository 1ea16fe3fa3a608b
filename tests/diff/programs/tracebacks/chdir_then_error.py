import os

os.chdir("/")
1 / 0
