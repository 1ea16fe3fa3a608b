import sys
import zipfile

with zipfile.ZipFile("z.zip", "w") as z:
    z.writestr("inzip.py", "def f():\n    raise ValueError('from a zip')\n")
sys.path.insert(0, "z.zip")
import inzip

print(type(inzip.__loader__).__name__)
inzip.f()
