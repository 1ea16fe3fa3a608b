import sys

(lambda: [sys.exit(44)])()
