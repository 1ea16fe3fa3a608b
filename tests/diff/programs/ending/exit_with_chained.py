import sys

try:
    sys.exit(1)
except SystemExit as e:
    raise RuntimeError("instead of leaving") from e
