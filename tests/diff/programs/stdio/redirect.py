import contextlib
import io
import sys

buf = io.StringIO()
with contextlib.redirect_stdout(buf), contextlib.redirect_stderr(buf):
    print("captured")
    print("also", file=sys.stderr)
print(buf.getvalue().split())
