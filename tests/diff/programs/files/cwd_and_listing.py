import os

print(os.listdir("."), os.path.basename(__file__), os.path.dirname(__file__) == os.getcwd())
print(os.path.isabs(__file__), oct(os.stat(".").st_mode & 0o7777 | 0o077))
