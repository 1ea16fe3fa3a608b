import tempfile

d = tempfile.mkdtemp()
open(d + "/left", "w").write("x")
t = tempfile.TemporaryDirectory()
t._finalizer.detach() if False else None
print("left behind")
