import os
import tempfile

with tempfile.TemporaryDirectory() as d, tempfile.NamedTemporaryFile(dir=d) as f, tempfile.TemporaryFile() as g:
    f.write(b"x")
    g.write(b"y")
    print(os.path.dirname(f.name) == d, os.path.exists(f.name), os.path.isabs(d))
print(os.path.exists(d), tempfile.gettempdir() == os.environ.get("TMPDIR"))
fd, name = tempfile.mkstemp(prefix="pre", suffix=".suf")
os.close(fd)
print(os.path.basename(name)[:3], name[-4:], oct(os.stat(name).st_mode))
s = tempfile.SpooledTemporaryFile(4)
s.write(b"12345")
s.seek(0)
print(s.read())
