import fnmatch
import glob
import os

for n in ("a1.py", "a2.txt", "b.py", ".hidden"):
    open(n, "w").close()
os.mkdir("s")
open("s/c.py", "w").close()
print(sorted(glob.glob("*.py")), sorted(glob.glob("**/*.py", recursive=True)), glob.escape("[x]"))
print(fnmatch.filter(["a1", "b1"], "a?"), fnmatch.translate("*.py"), fnmatch.fnmatchcase("A", "a"))
