import os

os.mkdir("x")
os.rename("x", "y")
os.link("main.py", "hard")
print(os.stat("hard").st_nlink, os.path.samefile("hard", "main.py"))
os.truncate("hard", 0) if False else None
with os.scandir(".") as it:
    print(sorted((e.name, e.is_dir(), e.is_symlink()) for e in it))
print([(sorted(d), sorted(f)) for _, d, f in os.walk(".")])
os.utime("y", (1, 2))
print(os.stat("y").st_mtime, os.access("y", os.W_OK), os.path.getsize("hard") > 0)
os.rmdir("main.py")
