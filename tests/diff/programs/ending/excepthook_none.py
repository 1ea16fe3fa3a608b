import sys

sys.excepthook = None
raise ValueError("hook is None")
