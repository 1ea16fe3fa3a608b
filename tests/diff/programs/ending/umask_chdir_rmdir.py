import os
import shutil

d = os.getcwd()
shutil.rmtree(d)
print(os.path.exists(d))
try:
    os.getcwd()
except FileNotFoundError as e:
    print(e)
1 / 0
