# needs: 3.10
import os
import sys

if os.environ.get("AGAIN"):
    print("restarted")
    sys.exit(5)
os.environ["AGAIN"] = "1"
os.execv(sys.executable, sys.orig_argv)
