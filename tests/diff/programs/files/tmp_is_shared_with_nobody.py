import os
import tempfile

t = tempfile.gettempdir()
print(os.listdir(t), os.path.isdir(t), os.access(t, os.W_OK), os.path.samefile(t, os.environ["TMPDIR"]))
