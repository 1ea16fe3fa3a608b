import atexit, os, tempfile
d = tempfile.TemporaryDirectory()
f = tempfile.NamedTemporaryFile(delete=True)
atexit.register(lambda: print(os.path.exists(d.name), os.path.exists(f.name)))
