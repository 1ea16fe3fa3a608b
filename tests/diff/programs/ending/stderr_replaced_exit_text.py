import io
import sys

sys.stderr = io.StringIO()
import atexit

atexit.register(lambda: print(repr(sys.stderr.getvalue())))
sys.exit("goes to the replaced stderr")
