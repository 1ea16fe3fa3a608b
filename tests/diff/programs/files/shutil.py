import os
import shutil

os.makedirs("src/sub")
open("src/a", "w").write("a")
os.symlink("a", "src/link")
shutil.copytree("src", "dst", symlinks=True)
shutil.move("dst/a", "moved")
print(sorted(os.listdir("dst")), os.readlink("dst/link"), shutil.which("sh") is not None)
shutil.make_archive("arch", "zip", "src")
shutil.unpack_archive("arch.zip", "un")
print(sorted(os.listdir("un")), shutil.get_terminal_size((1, 2)))
shutil.rmtree("src")
shutil.rmtree("src")
