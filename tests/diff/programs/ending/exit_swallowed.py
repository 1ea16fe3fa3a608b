import sys

try:
    sys.exit(9)
except SystemExit as e:
    print("caught", e.code, repr(e))
"still here"
