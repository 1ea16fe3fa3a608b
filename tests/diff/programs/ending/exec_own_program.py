import os
import sys

if os.environ.get("AGAIN"):
    print("second time", sys.argv, __name__, os.path.basename(__file__))
    sys.exit(5)
os.environ["AGAIN"] = "1"
print("first time", flush=True)
os.execv(sys.executable, [sys.executable, "-I", "-S", __file__, "arg"])
