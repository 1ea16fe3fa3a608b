import sys

sys.modules["traceback"] = None
1 / 0
