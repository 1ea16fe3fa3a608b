import atexit
import io
import sys

sys.stderr = io.StringIO()
atexit.register(lambda: print(sys.stderr.getvalue().splitlines()[-1]))
1 / 0
