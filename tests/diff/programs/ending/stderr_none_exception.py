import sys

sys.stderr = None
raise ValueError("nobody sees it")
