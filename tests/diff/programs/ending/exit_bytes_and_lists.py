import sys

sys.exit([b"bytes", {"k": 1}])
