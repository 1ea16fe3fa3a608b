import os

os.symlink("main.py", "l")
os.symlink("loop", "loop")
print(os.path.islink("l"), os.path.realpath("l") == os.path.realpath(__file__), os.path.exists("loop"), os.path.lexists("loop"))
print(os.path.normpath("a//b/../c/."), os.path.commonprefix(["/a/bc", "/a/bd"]), os.path.relpath("/a", "/b/c"), os.path.splitext("x.tar.gz"))
open("loop")
