import io
import sys

sys.stdout.write("before\n")
io.open = None
sys.modules["io"] = None
del sys.modules["os"]
5
